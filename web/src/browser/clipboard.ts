/** Copies the text of an input field to the clipboard. */
export async function copyField(field: HTMLInputElement): Promise<void> {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy"); // without TLS there is no navigator.clipboard
  }
}
