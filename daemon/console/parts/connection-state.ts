import type { DriverStatus } from '../../interface/plant/drivers.ts';
import type { AssetStatus, UnitStatus } from '../../interface/plant/asset-status.ts';
import { fill } from '../text/fill.ts';
import type { Text } from '../text/text.ts';

/** Severity of a state. */
export type Tone = 'none' | 'good' | 'info' | 'attention' | 'fault';

/** State as text, with its severity. */
export interface ShownState {
  readonly tone: Tone;
  readonly words: string;
  /** True for a current state, which is unknown while the gateway is unreachable. */
  readonly isCurrent?: boolean;
}

const DRIVER: Readonly<Record<DriverStatus['state'], { readonly tone: Tone; readonly text: Text }>> = {
  CONNECTED: { tone: 'good', text: { en: 'answering', de: 'antwortet' } },
  CONNECTING: { tone: 'info', text: { en: 'connecting', de: 'wird verbunden' } },
  BACKING_OFF: { tone: 'attention', text: { en: 'no connection', de: 'keine Verbindung' } },
  DISCONNECTED: { tone: 'none', text: { en: 'not polled yet', de: 'nicht abgefragt' } },
};

const UNIT: Readonly<Record<UnitStatus['state'], { readonly tone: Tone; readonly text: Text }>> = {
  ANSWERING: { tone: 'good', text: { en: 'answering', de: 'antwortet' } },
  SUSPENDED: { tone: 'attention', text: { en: 'suspended', de: 'Abfrage ausgesetzt' } },
  UNKNOWN: { tone: 'none', text: { en: 'not polled yet', de: 'nicht abgefragt' } },
};

/** Returns the state of a connection. */
export function shownDriver(state: DriverStatus['state']): ShownState {
  const { tone, text } = DRIVER[state];
  return { tone, words: fill(text), isCurrent: true };
}

/** Returns the state of a unit. */
function shownUnit(state: UnitStatus['state']): ShownState {
  const { tone, text } = UNIT[state];
  return { tone, words: fill(text), isCurrent: true };
}

const FAILING: Text = { en: '{state}, {count} failing', de: '{state}, {count} ohne Wert' };

/** Returns the device state of an asset: that of its connection, or of its first suspended unit. */
export function shownAsset({ driver, units }: AssetStatus): ShownState {
  const suspended = units.find(({ state, isUsed }) => isUsed && state === 'SUSPENDED');
  return suspended === undefined ? shownDriver(driver.state) : shownUnit(suspended.state);
}

/** Returns the device state of an asset with its number of failing channels, for lists. */
export function shownListedAsset(status: AssetStatus): ShownState {
  const shown = shownAsset(status);
  const { failingChannels } = status;
  if (failingChannels === undefined) return shown;
  const words = fill(FAILING, { state: shown.words, count: failingChannels.count });
  return { ...shown, tone: 'attention', words };
}
