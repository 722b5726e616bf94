// Browsers keep six connections to an origin over HTTP/1.1, for all tabs together. What is asked beside streams needs some.
const SLOTS = ['0', '1', '2', '3'].map((number) => `penstock.stream.${number}`);

/**
 * Takes one of the streams that all tabs of a browser may hold open together.
 *
 * @returns gives it back; undefined: other tabs hold them all. Over plain HTTP browsers do not let tabs agree, and there is
 *   always one
 */
export async function takeStreamSlot(): Promise<(() => void) | undefined> {
  if (!isSecureContext) return () => undefined;
  for (const name of SLOTS) {
    const giveBack = await tryLock(name);
    if (giveBack !== undefined) return giveBack;
  }
  return undefined;
}

/** Takes a lock that ends with the tab at the latest. */
function tryLock(name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (lock !== null) return new Promise<void>((giveBack) => resolve(giveBack));
        resolve(undefined);
        return undefined;
      })
      .catch(reject);
  });
}
