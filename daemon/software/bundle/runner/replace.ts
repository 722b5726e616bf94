/** Whether a text starts with another; calls nothing that code of the bundle might have replaced. */
export function startsWith(text: string, start: string): boolean {
  for (let index = 0; index < start.length; index += 1) if (text[index] !== start[index]) return false;
  return true;
}

/** Replaces a property for good: it can be neither assigned nor redefined nor deleted afterwards. */
export function replace(owner: object, name: string, value: unknown): void {
  if (!(name in owner)) throw new TypeError(`${name} does not exist and cannot be closed`);
  Object.defineProperty(owner, name, { value, writable: false, configurable: false });
}

/** Returns a function that throws what Node.js throws for its own permissions. */
export function refuse(name: string): () => never {
  return () => {
    throw createAccessError(`${name} is closed to bundles`);
  };
}

/** Creates the error with which Node.js refuses what its permissions do not grant. */
export function createAccessError(message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_ACCESS_DENIED' });
}
