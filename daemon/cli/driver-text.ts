import type { ConnectionTest, DriverInfo } from '../interface/drivers.ts';
import { formatFields } from './fields.ts';
import type { Tone } from './page.ts';
import { toneOfState } from './state-tone.ts';
import { formatTable } from './table.ts';

/** Formats drivers as a table. */
export function formatDrivers(drivers: readonly DriverInfo[]): string {
  if (drivers.length === 0) {
    return 'There is no driver yet; "penstock help driver add" tells how to add one.\n';
  }
  return formatTable<DriverInfo>(
    [
      { title: 'DRIVER', show: ({ pid }) => pid },
      { title: 'TYPE', show: ({ type }) => type },
      { title: 'ENDPOINT', show: ({ endpoint }) => endpoint },
      { title: 'STATE', show: ({ state }) => state, tone: ({ state }) => toneOfState(state) },
      { title: 'ASSETS', show: ({ assets }) => assets.join(' ') },
      {
        title: 'LAST ERROR',
        show: ({ lastError }) => lastError ?? '',
        isOptional: true,
        tone: (): Tone => 'BAD',
      },
    ],
    drivers,
  );
}

const OUTCOMES = {
  ANSWERED: 'the device answers',
  CONNECTED: 'the connection stands; nothing could be asked',
  FAILED: 'it does not work',
} as const;

/** Says what a test of a connection has shown. */
export function describeTest(test: ConnectionTest): string {
  const { endpoint, outcome, durationMs, asked, value, message, advice = [] } = test;
  return formatFields([
    ['Endpoint', endpoint],
    ['Asked for', asked],
    ['Value', value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value)],
    ['Message', message],
    ['Took', `${durationMs} ms`],
    ['Outcome', OUTCOMES[outcome]],
    ['Advice', advice.length === 0 ? undefined : advice.join('; ')],
  ]);
}
