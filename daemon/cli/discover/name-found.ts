import { isIP } from 'node:net';

import { toPid } from '../import/name.ts';
import type { ScanFinding } from '../../interface/scans.ts';

const LONGEST_PID = 64;

/** Whether a name says no more than where something is. */
export function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || name === 'localhost';
}

/**
 * Returns the name that a server gives itself, as a pid; undefined when it gives none, and when it lists several servers, of
 * which any may be meant.
 */
export function findServerName(findings: readonly ScanFinding[]): string | undefined {
  const names = findings.filter(({ kind }) => kind === 'SERVER').map(({ fields }) => fields['name']);
  const [name, ...others] = new Set(names);
  if (typeof name !== 'string' || others.length > 0) return undefined;
  const pid = toPid(name).slice(0, LONGEST_PID).replace(/_+$/, '');
  return pid === '' ? undefined : pid;
}
