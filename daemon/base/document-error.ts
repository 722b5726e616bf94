import { InvalidRequest } from './errors.ts';
import type { ErrorOptions } from './errors.ts';
import { createReason, prefixFault } from './fault-reason.ts';
import { BASE_FAULTS } from './fault-sentences.ts';
import { formatPath } from './schema.ts';
import type { Fault } from './schema.ts';

/** An error, with its cell if the document is a table. */
export interface DocumentFault extends Fault {
  /** Name of the item whose number in a list begins the path. */
  readonly item?: string | undefined;
  /** Counted from 1, including the header. */
  readonly row?: number | undefined;
  /** Name of the column; absent for the whole row. */
  readonly column?: string | undefined;
}

// The text is for display; programs read the list.
const FAULTS_IN_TEXT = 10;

/** Returns what an error shows for the first errors in the body of a request. */
export function explainFaults(faults: readonly Fault[]): Pick<ErrorOptions, 'detail' | 'reasons'> {
  const placed = faults
    .slice(0, FAULTS_IN_TEXT)
    .map((fault) => prefixFault(fault, createReason(BASE_FAULTS, 'AT_KEY', { key: formatPath(fault.path) })));
  const isCoded = placed.every(({ reasons }) => reasons !== undefined);
  return {
    detail: placed.map(({ message }) => message).join('; '),
    ...(isCoded ? { reasons: placed.flatMap(({ reasons = [] }) => reasons) } : {}),
  };
}

/** A document from a client was refused as a whole; the active one stays. */
export class DocumentError extends InvalidRequest {
  /** Every error, with its path from the top of the document. */
  readonly faults: readonly DocumentFault[];

  constructor(faults: readonly DocumentFault[]) {
    super({ code: 'CONFIGURATION_INVALID', detail: describe(faults) });
    this.faults = faults;
  }
}

function describe(faults: readonly DocumentFault[]): string {
  const texts = faults.slice(0, FAULTS_IN_TEXT).map((fault) => `${describePlace(fault)}: ${fault.message}`);
  const others = faults.length - texts.length;
  return others > 0 ? `${texts.join('; ')}; and ${others} more` : texts.join('; ');
}

function describePlace({ path, row, column }: DocumentFault): string {
  if (row === undefined) return formatPath(path);
  return column === undefined ? `row ${row}` : `row ${row}, ${column}`;
}
