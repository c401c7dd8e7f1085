/** Milliseconds after which a downloaded blob is freed; by then the browser has saved it. */
const FREE_AFTER = 60_000;

/** Saves data as a file on the user's device. */
export function download(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), FREE_AFTER);
}
