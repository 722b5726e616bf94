/** True if a text starts with another. Calls nothing that code of the bundle might have replaced. */
export function startsWith(text: string, start: string): boolean {
  for (let index = 0; index < start.length; index += 1) if (text[index] !== start[index]) return false;
  return true;
}

/** Replaces a property permanently: it can no longer be assigned, redefined or deleted. */
export function replace(owner: object, name: string, value: unknown): void {
  if (!(name in owner)) throw new TypeError(`${name} does not exist and cannot be closed`);
  Object.defineProperty(owner, name, { value, writable: false, configurable: false });
}

/** Returns a function that throws the error of the Node.js permission model. */
export function refuse(name: string): () => never {
  return () => {
    throw createAccessError(`${name} is closed to bundles`);
  };
}

/** Creates the error of the Node.js permission model. */
export function createAccessError(message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_ACCESS_DENIED' });
}
