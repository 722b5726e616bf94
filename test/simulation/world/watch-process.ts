import type { Chronicle } from './chronicle.ts';

/** Takes errors that nobody caught for a broken `no-defect`, until it is disposed of. */
export function watchProcess(chronicle: Chronicle): Disposable {
  const onError = (error: unknown): void => {
    chronicle.break('no-defect', error instanceof Error ? (error.stack ?? error.message) : String(error));
  };
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
  return {
    [Symbol.dispose]() {
      process.off('uncaughtException', onError);
      process.off('unhandledRejection', onError);
    },
  };
}
