/** Support of function code 23 by a unit without function code 3; UNKNOWN: not asked, or no valid response. */
export type ReadWriteSupport = 'UNKNOWN' | 'YES' | 'WITH_REGISTER';

/** Describes a unit without function code 3, and the setting that it needs. */
export function adviseReadFunction(unitId: number, support: ReadWriteSupport): string {
  const unit = `unit ${unitId}`;
  if (support === 'UNKNOWN') {
    return `${unit} does not support function code 3; if it supports function code 23, set readFunction: READ_WRITE`;
  }
  const setting = `${unit} supports function code 23 instead of 3; set readFunction: READ_WRITE`;
  if (support === 'YES') return setting;
  return `${setting}, and scratchOffset: a register that each read may overwrite`;
}
