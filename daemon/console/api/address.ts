/**
 * Returns the address of a path of the gateway as the page reaches it: a proxy may show the gateway below a path of its own.
 *
 * @param path from the root of the gateway, with a slash at its beginning
 */
export function toAddress(path: string): string {
  return new URL(`.${path}`, document.baseURI).href;
}
