import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { ChannelRecord, listChannels } from '../../../interface/plant/assets.ts';
import { useLiveValues } from '../../live/live-values.ts';
import { changePin } from '../../live/personal-settings.ts';
import type { Pin } from '../../live/personal-settings.ts';
import { useRecordedHistory } from '../../live/use-recorded-history.ts';
import { OutlineWord } from '../../parts/outline.tsx';
import { linkTo } from '../../parts/route.ts';
import { RowAction } from '../../parts/row-action.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { useNow } from '../../parts/use-now.ts';
import { useResource } from '../../parts/use-resource.ts';
import { fill } from '../../text/fill.ts';
import { OVERVIEW } from '../../text/overview.ts';
import { ageOf, exactOf, qualityOf, toneOf, toRow, unitOf, valueOf } from '../assets/channel-row.ts';
import type { ChannelRow } from '../assets/channel-row.ts';
import { Sparkline } from '../assets/sparkline.tsx';
import { hasSteps } from '../assets/sparkline-path.ts';
import type { AssetHead } from '../assets/use-assets.ts';

interface PinnedValuesProps {
  readonly pins: readonly Pin[];
  readonly assets: readonly AssetHead[];
}

const FRESH_MS = 20_000;
const COMPLETE_AFTER_MS = 2000;

/** Pinned channels with live values; devices are polled for them only while the page is visible. */
export function PinnedValues({ pins, assets }: PinnedValuesProps): JSX.Element {
  const { rest } = useConsole();
  const heads = new Map(assets.map((head) => [head.pid, head.status]));
  const key = JSON.stringify(pins);
  const channels = useResource(key, (abort) => loadChannels(abort));
  // A stream with an unknown channel would be refused as a whole.
  const known = pins.filter((pin) => channels.value?.has(keyOf(pin)) === true);
  const shown = useMemo(() => {
    const names = [...new Set(known.map(({ asset }) => asset))];
    return names.map((asset) => ({
      asset,
      names: known.flatMap((pin) => (pin.asset === asset ? [pin.channel] : [])),
    }));
  }, [JSON.stringify(known)]);
  const live = useLiveValues(
    shown.map(({ asset }) => asset),
    known.map(keyOf),
  );
  useRecordedHistory(live, shown);
  const nowMs = useNow();
  // Rerender when values arrive.
  void live.paint.value;
  const { kind, sinceMs } = live.state.value;
  const isHeard = kind === 'LIVE' && rest.link.state.value.isUp && nowMs - live.heardMs < FRESH_MS;
  const isLoading = kind === 'OPENING' || (kind === 'LIVE' && nowMs - sinceMs < COMPLETE_AFTER_MS);
  return (
    <ul class="pins">
      {pins.map((pin) => {
        const channel = channels.value?.get(keyOf(pin));
        const value = live.valuesOf(pin.asset).get(pin.channel);
        const isFresh = isHeard && heads.get(pin.asset)?.driver.state === 'CONNECTED';
        const stream = value === undefined && isLoading ? 'LOADING' : isFresh ? 'FRESH' : 'LATE';
        const row = channel === undefined ? undefined : toRow(channel, value, stream);
        return (
          <li key={keyOf(pin)}>
            <a href={linkTo(['assets', pin.asset], { filter: pin.channel })}>
              {channel?.displayName ?? pin.channel}
            </a>
            <span class="row-actions">
              <RowAction
                icon="pin"
                label={fill(OVERVIEW.unpin, { channel: pin.channel })}
                onClick={() => changePin(rest, pin, false)}
              />
            </span>
            <span class="soft">{pin.asset}</span>
            <PinnedValue row={row} isUnknown={channels.value !== undefined && channel === undefined} />
          </li>
        );
      })}
    </ul>
  );

  /** An asset that is gone or not granted has no channels; the others have. */
  async function loadChannels(abort: AbortSignal): Promise<ReadonlyMap<string, ChannelRecord>> {
    const found = new Map<string, ChannelRecord>();
    for (const asset of new Set(pins.map((pin) => pin.asset))) {
      const path = `/services/assets/${encodeURIComponent(asset)}` as const;
      const list = heads.has(asset) ? await rest.call<typeof listChannels>('GET', path, { abort }) : [];
      for (const channel of list) found.set(keyOf({ asset, channel: channel.name }), channel);
    }
    return found;
  }
}

interface PinnedValueProps {
  readonly row: ChannelRow | undefined;
  /** True if there is no such channel any more. */
  readonly isUnknown: boolean;
}

function PinnedValue({ row, isUnknown }: PinnedValueProps): JSX.Element {
  const { rest } = useConsole();
  if (isUnknown) return <StateWord tone="attention" words={fill(OVERVIEW.pinUnknown)} />;
  if (row === undefined || row.state === 'LOADING') return <OutlineWord />;
  const tone = toneOf(row);
  const { channel, live } = row;
  return (
    <>
      <span class={`values pinned-value ${tone === 'good' ? '' : 'soft'}`} title={exactOf(row)}>
        {valueOf(row)} <span class="soft">{unitOf(row)}</span>
      </span>
      <Sparkline history={live?.history} nowMs={Date.now()} isStepped={hasSteps(channel)} />
      <span class="pinned-state soft">
        {tone === 'good' || tone === 'none' ? undefined : <StateWord tone={tone} words={qualityOf(row)} />}{' '}
        {ageOf(row, rest.gatewayNowMs())}
      </span>
    </>
  );
}

function keyOf({ asset, channel }: Pin): string {
  return `${asset}/${channel}`;
}
