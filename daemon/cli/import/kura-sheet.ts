import { ChannelList } from './channel-list.ts';
import { Findings } from './imported.ts';
import type { Imported } from './imported.ts';
import {
  convertKuraChannel,
  GENERAL_PROPERTIES,
  isScaledWrite,
  SETTINGS_FOR_KURA_CLIENTS,
  UNSCALED_WRITES,
} from './kura-channel.ts';
import type { KuraDriver } from './kura-channel.ts';
import { KuraProperties } from './kura-properties.ts';
import { readSheet } from './sheet.ts';

/** What a list of channels does not say: the asset that gets them, and its driver. */
export interface SheetTarget {
  readonly asset: string;
  readonly driver: string;
  /** Kind of the driver. */
  readonly type: KuraDriver;
}

/**
 * Converts the list of channels that the console of Eclipse Kura downloads for an asset.
 *
 * @param text CSV with the columns `name`, `type`, `value.type` and those of the driver
 * @throws {CommandError} `IMPORT_UNREADABLE`, with the row
 */
export function convertKuraSheet(text: string, { asset: pid, driver, type }: SheetTarget): Imported {
  const findings = new Findings();
  const { rows } = readSheet(text, ['name', 'type', 'value.type']);
  const list = new ChannelList(
    findings,
    rows.map(({ cells }) => cells.get('name') ?? ''),
  );
  for (const row of rows) {
    const { place, cells } = row;
    const remark = (reason: string): void => findings.remark({ place, text: row.text, reason });
    list.add({
      ...row,
      name: cells.get('name') ?? '',
      convert: () => convertKuraChannel(type, toProperties(cells), remark),
    });
  }
  const isUnscaled = list.channels.some(({ channel }) => isScaledWrite(channel));
  if (isUnscaled) findings.remark({ place: pid, text: 'asset', reason: UNSCALED_WRITES });
  const asset = { pid, driver, ...(isUnscaled ? { scaleOnWrite: false } : {}) };
  return {
    drivers: [],
    assets: [{ place: pid, asset, channels: list.channels }],
    rest: SETTINGS_FOR_KURA_CLIENTS,
    untaken: findings.untaken,
    remarks: findings.remarks,
  };
}

function toProperties(cells: ReadonlyMap<string, string>): KuraProperties {
  return new KuraProperties(
    [...cells].map(([title, cell]) => [GENERAL_PROPERTIES.includes(title) ? `+${title}` : title, cell]),
  );
}
