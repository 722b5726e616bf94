import type { DocumentFault } from '../../../interface/failure.ts';
import { translateFault } from '../../parts/gateway-words.ts';
import type { CellFault, ChannelEntry } from './channel-rows.ts';

const CHANNEL_PATH = /(?:^|\.)channels\[(\d+)\](?:\.(.*))?$/;

/** Assigns the errors of the gateway to the cells of edited channels; those of other parts are left out. */
export function toCellFaults(
  faults: readonly DocumentFault[],
  entries: readonly ChannelEntry[],
): readonly CellFault[] {
  return faults.flatMap((fault) => {
    const [, index, key = 'name'] = CHANNEL_PATH.exec(fault.path) ?? [];
    const entry = index === undefined ? undefined : entries[Number(index)];
    return entry === undefined ? [] : [{ id: entry.id, key, message: translateFault(fault) }];
  });
}
