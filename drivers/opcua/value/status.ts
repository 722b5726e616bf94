import type { OpcuaModule } from '../session/opcua-library.ts';

// The two highest bits are the severity: good, uncertain or bad; those below 16 are additional information (OPC
// 10000-4, 7.39).
const CODE_MASK = 0xffff_0000;
const SEVERITY_SHIFT = 30;

export type Severity = 'GOOD' | 'UNCERTAIN' | 'BAD';

/** Returns the severity of a status; the reserved fourth value counts as bad. */
export function severityOf(code: number): Severity {
  const severity = code >>> SEVERITY_SHIFT;
  if (severity === 0) return 'GOOD';
  return severity === 1 ? 'UNCERTAIN' : 'BAD';
}

/** True if a status is exactly `Good`; the lowest bits describe how the value was stored and are ignored. */
export function hasPlainStatus(code: number): boolean {
  return (code & CODE_MASK) === 0;
}

/** Returns the StatusCode name, for example `BadNodeIdUnknown`; a number if the standard does not define it. */
export function nameStatus({ StatusCodes }: OpcuaModule, code: number): string {
  const base = (code & CODE_MASK) >>> 0;
  const codes: readonly { readonly name: string; readonly value: number }[] = Object.values(StatusCodes);
  const known = codes.find(({ value }) => value === base);
  return known?.name ?? `0x${code.toString(16).padStart(8, '0').toUpperCase()}`;
}
