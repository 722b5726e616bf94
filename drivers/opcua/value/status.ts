import type { OpcuaModule } from '../session/opcua-library.ts';

// The two highest bits show whether a status is good, uncertain or bad; those below 16 describe it further
// (OPC 10000-4, 7.39).
const CODE_MASK = 0xffff_0000;
const SEVERITY_SHIFT = 30;

export type Severity = 'GOOD' | 'UNCERTAIN' | 'BAD';

/** Returns the severity of a status; the fourth value is reserved and counts as bad. */
export function severityOf(code: number): Severity {
  const severity = code >>> SEVERITY_SHIFT;
  if (severity === 0) return 'GOOD';
  return severity === 1 ? 'UNCERTAIN' : 'BAD';
}

/** Whether a status is `Good` and nothing more; its lowest bits describe how the value was stored, not what it is. */
export function hasPlainStatus(code: number): boolean {
  return (code & CODE_MASK) === 0;
}

/** Returns the name of a StatusCode, for example `BadNodeIdUnknown`; one that no standard has is written as a number. */
export function nameStatus({ StatusCodes }: OpcuaModule, code: number): string {
  const base = (code & CODE_MASK) >>> 0;
  const codes: readonly { readonly name: string; readonly value: number }[] = Object.values(StatusCodes);
  const known = codes.find(({ value }) => value === base);
  return known?.name ?? `0x${code.toString(16).padStart(8, '0').toUpperCase()}`;
}
