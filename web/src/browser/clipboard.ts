/** Copies the text of an input field to the clipboard. */
export async function copyField(field: HTMLInputElement): Promise<void> {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy"); // without TLS there is no navigator.clipboard
  }
}

/** Copies a text to the clipboard. */
export async function copyText(text: string): Promise<void> {
  const field = document.createElement("input");
  field.value = text;
  field.className = "visually-hidden";
  const focused = document.activeElement;
  document.body.append(field);
  await copyField(field);
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
}
