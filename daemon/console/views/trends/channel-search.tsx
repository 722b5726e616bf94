import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { ChannelRecord, listAssets, listChannels } from '../../../interface/plant/assets.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { fill } from '../../text/fill.ts';
import { formatUnit } from '../../text/format.ts';
import { TRENDS } from '../../text/trends.ts';
import { keyOfCurve } from '../../trend/trend-curve.ts';
import type { CurveName } from '../../trend/trend-curve.ts';
import { isDrawn } from './use-curves.ts';

interface Offer extends CurveName {
  readonly words: string;
  readonly unit: string;
}

const MAXIMUM_SHOWN = 30;
const AT_ONCE = 4;

interface ChannelSearchProps {
  readonly isFull: boolean;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (curve: CurveName) => void;
}

/** Search for channels of any asset by name, with keyboard and pointer. */
export function ChannelSearch({ isFull, chosen, onChoose }: ChannelSearchProps): JSX.Element {
  const { rest } = useConsole();
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [isWanted, setWanted] = useState(false);
  const [active, setActive] = useState(0);
  const id = useId();
  const all = useResource(isWanted ? 'channels' : undefined, (abort) => listOffers(abort));
  const sought = text.toLowerCase().split(/[\s/]+/);
  const found = (all.value ?? [])
    .filter((offer) => !chosen.has(keyOfCurve(offer)) && sought.every((part) => offer.words.includes(part)))
    .slice(0, MAXIMUM_SHOWN);
  const choose = (offer: Offer | undefined): void => {
    if (offer === undefined || isFull) return;
    onChoose({ asset: offer.asset, channel: offer.channel });
    setText('');
    setOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      choose(found[active]);
    } else if (event.key === 'Escape') setOpen(false);
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive(Math.max(0, Math.min(found.length - 1, active + step)));
    }
  };
  const isShown = isOpen && found.length > 0;
  return (
    <div class="channel-search">
      <label>
        <span class="hidden">{fill(TRENDS.add)}</span>
        <input
          type="search"
          role="combobox"
          autocomplete="off"
          placeholder={`${fill(TRENDS.add)}: ${fill(TRENDS.addHint)}`}
          aria-expanded={isShown}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isShown ? `${id}-${active}` : undefined}
          disabled={isFull}
          value={text}
          onFocus={() => {
            setWanted(true);
            setOpen(true);
          }}
          onBlur={() => setOpen(false)}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setActive(0);
            setOpen(true);
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <ul id={`${id}-list`} role="listbox" aria-label={fill(TRENDS.add)} hidden={!isShown}>
        {found.map((offer, index) => (
          <li
            key={keyOfCurve(offer)}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(offer)}
          >
            <span class="values">{keyOfCurve(offer)}</span> <span class="soft">{offer.unit}</span>
          </li>
        ))}
      </ul>
      {isFull ? <p class="soft">{fill(TRENDS.full)}</p> : undefined}
      {isOpen && all.value?.length === 0 ? <p class="soft">{fill(TRENDS.noAssets)}</p> : undefined}
      {isOpen && text !== '' && all.value !== undefined && all.value.length > 0 && found.length === 0 ? (
        <p class="soft">{fill(TRENDS.noMatch, { text })}</p>
      ) : undefined}
      {all.error === undefined ? undefined : <FailureNotice error={all.error} onRetry={all.reload} />}
    </div>
  );

  async function listOffers(abort: AbortSignal): Promise<readonly Offer[]> {
    const waiting = [...(await rest.call<typeof listAssets>('GET', '/services/assets', { abort }))];
    const lists = new Map<string, readonly Offer[]>(waiting.map((pid) => [pid, []]));
    const load = async (): Promise<void> => {
      for (let pid = waiting.shift(); pid !== undefined; pid = waiting.shift()) {
        const channels = await rest
          .call<typeof listChannels>('GET', `/services/assets/${encodeURIComponent(pid)}`, { abort })
          // The asset was removed or is not granted: search the others.
          .catch((): readonly ChannelRecord[] => []);
        lists.set(pid, toOffers(pid, channels));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, load));
    return [...lists.values()].flat();
  }
}

function toOffers(asset: string, channels: readonly ChannelRecord[]): readonly Offer[] {
  return channels.filter(isDrawn).map(({ name, displayName = '', unit }) => ({
    asset,
    channel: name,
    words: `${asset}/${name} ${displayName}`.toLowerCase(),
    unit: formatUnit(unit),
  }));
}
