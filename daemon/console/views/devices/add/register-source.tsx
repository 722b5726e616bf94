import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { useConsole } from '../../../api/console-context.ts';
import { tryChannels } from '../../../forms/channels/trial.ts';
import type { TrialPlace } from '../../../forms/channels/trial.ts';
import { FailureNotice } from '../../../parts/notice.tsx';
import { DEVICES } from '../../../text/devices.ts';
import { fill } from '../../../text/fill.ts';
import { REGISTERS_AT_ONCE, toEntryChannels, toOffers } from './register-offers.ts';
import type { RegisterRange } from './register-offers.ts';
import type { Offer } from './offer.ts';

interface RegisterSourceProps {
  readonly place: TrialPlace;
  readonly ranges: readonly RegisterRange[];
  readonly onOffers: (offers: readonly Offer[]) => void;
}

// Each is a request to the gateway, and up to 65 to the device.
const READ_AT_ONCE = 8;

/** Reads the registers that a scan found, and offers them with their values and meanings. */
export function RegisterSource({ place, ranges, onOffers }: RegisterSourceProps): JSX.Element {
  const { rest } = useConsole();
  const [error, setError] = useState<unknown>(undefined);
  const [reading, setReading] = useState<string | undefined>(undefined);
  const load = async (parts: readonly RegisterRange[], abort?: AbortSignal): Promise<void> => {
    setError(undefined);
    try {
      for (const range of parts) {
        setReading(describe(range));
        const channels = toEntryChannels(range);
        const reply = await tryChannels(rest, place, {
          channels,
          interpret: true,
          ...(abort === undefined ? {} : { abort }),
        });
        if (abort?.aborted === true) return;
        onOffers(toOffers({ range, channels, say: fill }, reply));
      }
    } catch (thrown) {
      if (abort?.aborted !== true) setError(thrown);
    } finally {
      if (abort?.aborted !== true) setReading(undefined);
    }
  };
  useEffect(() => {
    const abort = new AbortController();
    void load(ranges.slice(0, READ_AT_ONCE), abort.signal);
    return () => abort.abort();
  }, [ranges]);
  const isLong = ranges.some(({ first, last }) => last - first >= REGISTERS_AT_ONCE);
  return (
    <>
      <p role="status" class="soft">
        {reading === undefined ? '' : fill(DEVICES.readingRange, { range: reading })}
      </p>
      {error === undefined ? undefined : (
        <FailureNotice error={error} onRetry={() => void load(ranges.slice(0, READ_AT_ONCE))} />
      )}
      {isLong || ranges.length > READ_AT_ONCE ? (
        <MoreRegisters
          ranges={ranges}
          isBusy={reading !== undefined}
          onRead={(range) => void load([range])}
        />
      ) : undefined}
    </>
  );
}

interface MoreRegistersProps {
  readonly ranges: readonly RegisterRange[];
  readonly isBusy: boolean;
  readonly onRead: (range: RegisterRange) => void;
}

/** Reads further registers of a range, from an address on. */
function MoreRegisters({ ranges, isBusy, onRead }: MoreRegistersProps): JSX.Element {
  const [index, setIndex] = useState(0);
  const [from, setFrom] = useState('');
  const range = ranges[index];
  const first = Number(from);
  const isInside = range !== undefined && from !== '' && first >= range.first && first <= range.last;
  return (
    <form
      class="tools"
      onSubmit={(event) => {
        event.preventDefault();
        if (isInside) onRead({ ...range, first });
      }}
    >
      <label class="field">
        <span>{fill(DEVICES.rangeOfMore)}</span>
        <select value={String(index)} onChange={({ currentTarget }) => setIndex(currentTarget.selectedIndex)}>
          {ranges.map((each, at) => (
            <option key={describe(each)} value={String(at)}>
              {describe(each)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>{fill(DEVICES.fromAddress)}</span>
        <input
          name="from"
          inputmode="numeric"
          autocomplete="off"
          value={from}
          onInput={({ currentTarget }) => setFrom(currentTarget.value.replaceAll(/\D/g, ''))}
        />
      </label>
      <button type="submit" disabled={isBusy || !isInside}>
        {fill(DEVICES.readMore, { count: REGISTERS_AT_ONCE })}
      </button>
    </form>
  );
}

function describe({ table, first, last }: RegisterRange): string {
  return `${table} ${first}–${last}`;
}
