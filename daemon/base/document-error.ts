import { InvalidRequest } from './errors.ts';
import { formatPath } from './schema.ts';
import type { Fault } from './schema.ts';

/** A fault, and where it stands in a table if the document came as one. */
export interface DocumentFault extends Fault {
  /** Counted from 1, the header included. */
  readonly row?: number | undefined;
  /** Name of the column; absent when the whole row is meant. */
  readonly column?: string | undefined;
}

// The text is for people; programs read the list.
const FAULTS_IN_TEXT = 10;

/** A document that a client sent was refused as a whole; what was in force stays. */
export class DocumentError extends InvalidRequest {
  /** Every fault, with its path from the top of the document. */
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
