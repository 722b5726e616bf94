/** Lets the browser save a file that the page made. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has read it by the time that it is idle again.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
