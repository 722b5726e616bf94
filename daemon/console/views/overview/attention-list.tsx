import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { Icon } from '../../parts/icon.tsx';
import { linkTo } from '../../parts/route.ts';
import { RangeBar } from '../../parts/range-bar.tsx';
import { useNow } from '../../parts/use-now.ts';
import { fill } from '../../text/fill.ts';
import { formatBytes, formatSpan, formatTime, formatCount } from '../../text/format.ts';
import { OVERVIEW } from '../../text/overview.ts';
import type { Attention } from './attention.ts';
import type { ConnectionTest, testDriver } from '../../../interface/plant/drivers.ts';
import { explainCause, translateFinding } from '../../parts/gateway-words.ts';
import { wordsOf } from '../../parts/notice.tsx';

// A line without power has as many suspended units as devices.
const FIRST = 8;

interface AttentionListProps {
  readonly items: readonly Attention[];
  /** Returns the assets on a connection. */
  readonly assetsOf: (driver: string) => readonly string[];
}

/** Items that need attention, each with cause and advice. */
export function AttentionList({ items, assetsOf }: AttentionListProps): JSX.Element | undefined {
  const [isWhole, setWhole] = useState(false);
  if (items.length === 0) return undefined;
  const shown = isWhole ? items : items.slice(0, FIRST);
  return (
    <>
      <ul class="attention-list">
        {shown.map((item) => (
          <AttentionRow key={item.key} item={item} assetsOf={assetsOf} />
        ))}
      </ul>
      {items.length <= FIRST ? undefined : (
        <button type="button" class="plain" onClick={() => setWhole(!isWhole)}>
          {isWhole ? fill(OVERVIEW.fewer, { count: FIRST }) : fill(OVERVIEW.more, { count: items.length })}
        </button>
      )}
    </>
  );
}

function AttentionRow({
  item,
  assetsOf,
}: Readonly<{ item: Attention; assetsOf: AttentionListProps['assetsOf'] }>): JSX.Element {
  const { session } = useConsole();
  const { tone, title, cause, finding, advice, sinceMs, driver, asset, isBundle, room } = item;
  const assets = driver === undefined ? [] : assetsOf(driver);
  return (
    <li class={tone}>
      <span class={`state ${tone}`}>
        <Icon name={tone} />
      </span>
      <div class="body">
        <strong class={`state ${tone}`}>{title}</strong>{' '}
        {sinceMs === undefined ? undefined : (
          <span class="soft">{fill(OVERVIEW.since, { time: formatTime(sinceMs) })}</span>
        )}
        <div>
          {endSentence(translateFinding(finding, cause))} <NextTry item={item} />
        </div>
        {assets.length === 0 ? undefined : (
          <div class="soft">{fill(OVERVIEW.served, { assets: assets.join(', ') })}</div>
        )}
        <div class="soft">{advice}</div>
        {room === undefined ? undefined : (
          <div class="tools">
            <RangeBar
              label={fill(OVERVIEW.diskUsed)}
              words={fill(OVERVIEW.diskFree, {
                free: formatBytes(room.free),
                total: formatBytes(room.total),
              })}
              minimum={0}
              maximum={Math.max(1, room.total)}
              value={room.total - room.free}
              tone={tone}
            />
            <span class="values">
              {fill(OVERVIEW.diskFree, { free: formatBytes(room.free), total: formatBytes(room.total) })}
            </span>
          </div>
        )}
      </div>
      {driver !== undefined && session.may('rest.configuration') ? (
        <ConnectionTry driver={driver} />
      ) : undefined}
      {asset === undefined ? undefined : (
        <a class="button" href={linkTo(['assets', asset], { show: 'bad' })}>
          {fill(OVERVIEW.toChannels)}
        </a>
      )}
      {isBundle && session.may('rest.deploy') ? (
        <a class="button" href={linkTo(['software', 'bundles'])}>
          {fill(OVERVIEW.toBundles)}
        </a>
      ) : undefined}
    </li>
  );
}

function NextTry({ item }: { readonly item: Attention }): JSX.Element | undefined {
  const { rest } = useConsole();
  // Rerender every second.
  useNow();
  const { nextAttemptMs, hasAttempts } = item;
  if (nextAttemptMs === undefined) return hasAttempts ? <span>{fill(OVERVIEW.noTry)}</span> : undefined;
  const leftMs = nextAttemptMs - rest.gatewayNowMs();
  return (
    <span>
      {leftMs < 500 ? fill(OVERVIEW.nextTryNow) : fill(OVERVIEW.nextTry, { span: formatSpan(leftMs) })}
    </span>
  );
}

function endSentence(words: string): string {
  return words === '' || /[.!?:]$/.test(words) ? words : `${words}.`;
}

/** Tests a connection on request and shows the result. */
function ConnectionTry({ driver }: { readonly driver: string }): JSX.Element {
  const { rest } = useConsole();
  const [words, setWords] = useState('');
  const [isBusy, setBusy] = useState(false);
  const ask = async (): Promise<void> => {
    setBusy(true);
    setWords(fill(OVERVIEW.testing));
    try {
      const target = `/services/drivers/v1/${encodeURIComponent(driver)}/_test` as const;
      setWords(describeTest(await rest.call<typeof testDriver>('POST', target)));
    } catch (error) {
      setWords(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="try">
      <button type="button" disabled={isBusy} onClick={() => void ask()}>
        {fill(OVERVIEW.tryNow)}
        <span class="hidden"> {driver}</span>
      </button>
      <span class="soft" role="status">
        {words}
      </span>
    </div>
  );
}

function describeTest({ outcome, durationMs, message = '', statusCode, reasons }: ConnectionTest): string {
  const ms = formatCount(durationMs);
  if (outcome === 'FAILED') {
    return fill(OVERVIEW.testFailed, { ms, message: explainCause(statusCode, message, reasons) });
  }
  return fill(outcome === 'ANSWERED' ? OVERVIEW.answered : OVERVIEW.connected, { ms });
}
