/**
 * Waits for work until the signal aborts; the work itself continues after that.
 *
 * @returns the result of the work
 * @throws the reason of `signal` when it is aborted before the work has ended
 */
export function raceWithAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
