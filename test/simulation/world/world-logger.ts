import type { LogFields, Logger } from '../../../daemon/base/logger.ts';
import type { Chronicle } from './chronicle.ts';

// What the gateway logs when code of its own failed in a way that it did not expect.
const DEFECTS: ReadonlySet<string> = new Set(['exception.uncaught', 'driver.failed', 'audit.recordFailed']);

// What a client sees without its cause.
const FAILURES: ReadonlySet<string> = new Set(['request.failed']);

/** Creates the log of a gateway: its lines belong to what happens, and a defect that it reports breaks `no-defect`. */
export function createWorldLogger(chronicle: Chronicle, inherited: LogFields = {}): Logger {
  const write = (event: string, fields?: LogFields): void => {
    if (DEFECTS.has(event)) chronicle.break('no-defect', `${event} ${describe({ ...inherited, ...fields })}`);
    else if (FAILURES.has(event)) chronicle.note('gateway', `${event} ${explain(fields?.['error'])}`);
    else chronicle.note('gateway', event);
  };
  return {
    child: (fields) => createWorldLogger(chronicle, { ...inherited, ...fields }),
    debug: () => undefined,
    info: write,
    warn: write,
    error: write,
  };
}

// Without the places in the sources, which differ from tree to tree.
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${explain(error.cause)}`;
}

function describe(fields: LogFields): string {
  const parts = Object.entries(fields).map(([key, value]) => {
    const text = value instanceof Error ? (value.stack ?? value.message) : JSON.stringify(value);
    return `${key}=${text}`;
  });
  return parts.join(' ');
}
