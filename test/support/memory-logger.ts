import type { LogFields, Logger, LogLevel } from '../../daemon/base/logger.ts';

export interface MemoryLine {
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: LogFields;
}

/** A logger that keeps its lines for assertions. */
export function createMemoryLogger(
  lines: MemoryLine[] = [],
  inherited: LogFields = {},
): Logger & { readonly lines: readonly MemoryLine[] } {
  const keep = (level: LogLevel) => (event: string, fields?: LogFields) => {
    lines.push({ level, event, fields: { ...inherited, ...fields } });
  };
  return {
    lines,
    child: (fields) => createMemoryLogger(lines, { ...inherited, ...fields }),
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  };
}
