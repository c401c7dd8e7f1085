/** Returns a handler of clicks that leaves out the second one of a double-click, which confirms nothing. */
export function firstClick(act: () => void): (event: MouseEvent) => void {
  return ({ detail }) => {
    if (detail < 2) act();
  };
}
