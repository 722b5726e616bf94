import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import { pendingChange } from '../../live/pending-change.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { Outline } from '../../parts/outline.tsx';
import type { Resource } from '../../parts/use-resource.ts';
import { fill } from '../../text/fill.ts';
import { ASSETS } from '../../text/assets.ts';
import { OVERVIEW } from '../../text/overview.ts';
import { useAssets } from '../assets/use-assets.ts';
import type { AssetHead } from '../assets/use-assets.ts';
import { readsAssets } from '../pages.ts';
import type { PageProps } from '../pages.ts';
import { AssetTable } from './asset-table.tsx';
import { AttentionList } from './attention-list.tsx';
import { ConnectionTable, useConnections } from './connection-table.tsx';
import { useAttention } from './attention-state.ts';
import { Pins } from './pins.tsx';
import { Summary } from './summary.tsx';
import type { PendingChange } from '../../live/pending-change.ts';
import { Icon } from '../../parts/icon.tsx';
import { linkTo } from '../../parts/route.ts';
import { useNow } from '../../parts/use-now.ts';
import { formatSpan, formatTime } from '../../text/format.ts';
import { useGatewayEvents } from '../../live/gateway-events.ts';
import { showEvent } from '../../parts/event-words.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { EVENTS } from '../../text/events.ts';

/** Overview: items that need attention, then assets, connections and events. Sends no requests to devices. */
export function OverviewPage({ title }: PageProps): JSX.Element {
  const { session } = useConsole();
  const { checks, items, count, tone, ...shared } = useAttention();
  const isLimited = !session.may('rest.events');
  const mayRead = readsAssets(session);
  const asked = useAssets({ isWanted: !isLimited && mayRead });
  const assets = isLimited ? shared.assets : asked;
  const connections = useConnections(assets.value);
  const pending = pendingChange.value;
  return (
    <>
      <header>
        <h1>{title}</h1>
      </header>
      <section>
        {checks.error === undefined ? undefined : (
          <FailureNotice error={checks.error} what={fill(OVERVIEW.failed)} onRetry={checks.reload} />
        )}
        {isLoading(checks) && tone !== 'hidden' ? <Outline rows={1} /> : undefined}
        {checks.value === undefined ? undefined : (
          <Summary round={checks.value} count={count} tone={tone}>
            {pending === undefined ? undefined : <PendingNotice pending={pending} />}
            <AttentionList items={items} assetsOf={(driver) => listServed(assets.value ?? [], driver)} />
          </Summary>
        )}
      </section>
      <Pins assets={assets.value} />
      <div class="overview-lower">
        {mayRead || session.may('rest.configuration') ? (
          <section>
            <h2>{fill(OVERVIEW.connections)}</h2>
            {connections.error === undefined ? undefined : (
              <FailureNotice error={connections.error} onRetry={connections.reload} />
            )}
            {isLoading(connections) ? <Outline /> : undefined}
            {connections.value === undefined ? undefined : (
              <ConnectionTable connections={connections.value} />
            )}
          </section>
        ) : undefined}
        <section>
          <h2>{fill(OVERVIEW.assets)}</h2>
          {assets.error === undefined ? undefined : (
            <FailureNotice error={assets.error} onRetry={assets.reload} />
          )}
          {mayRead ? undefined : <p class="soft">{fill(ASSETS.noneGranted)}</p>}
          {isLoading(assets) && mayRead ? <Outline /> : undefined}
          {assets.value === undefined ? undefined : <AssetTable assets={assets.value} isFolded />}
        </section>
        {session.may('rest.events') ? <NewestEvents /> : undefined}
      </div>
    </>
  );
}

function isLoading({ value, error }: Resource<unknown>): boolean {
  return value === undefined && error === undefined;
}

function listServed(assets: readonly AssetHead[], driver: string): readonly string[] {
  return assets.flatMap(({ pid, status }) => (status.driver.pid === driver ? [pid] : []));
}

/** Pending change, which reverts unless confirmed. */
function PendingNotice({ pending }: { readonly pending: PendingChange }): JSX.Element {
  const { rest } = useConsole();
  useNow();
  const { snapshot, revertTo, author, revertAt } = pending;
  const span = formatSpan(revertAt - rest.gatewayNowMs());
  return (
    <ul class="attention-list">
      <li class="attention">
        <span class="state attention">
          <Icon name="attention" />
        </span>
        <div class="body">
          <strong class="state attention">{fill(OVERVIEW.pending, { snapshot })}</strong>
          <div>
            {author === undefined ? undefined : `${fill(OVERVIEW.pendingBy, { author })} `}
            {fill(OVERVIEW.pendingBack, { revertTo, span })}
          </div>
          <div class="soft">{fill(OVERVIEW.pendingDo)}</div>
        </div>
        <a class="button" href={linkTo(['configuration'])}>
          {fill(OVERVIEW.toConfiguration)}
        </a>
      </li>
    </ul>
  );
}

const SHOWN = 10;

/** Latest events of the gateway, live. */
function NewestEvents(): JSX.Element {
  const gateway = useGatewayEvents();
  const state = gateway.state.value;
  const events = gateway.events.value.slice(0, SHOWN);
  return (
    <section class="newest-events">
      <h2>{fill(EVENTS.title)}</h2>
      {state.kind === 'LOST' ? (
        <StateWord tone="attention" words={fill(EVENTS.lost, { time: formatTime(state.sinceMs) })} />
      ) : undefined}
      {events.length === 0 && state.kind === 'OPENING' ? <Outline /> : undefined}
      {events.length === 0 && state.kind === 'LIVE' ? <p class="soft">{fill(EVENTS.none)}</p> : undefined}
      <ul class="newest">
        {events.map((event) => {
          const { tone, words, cause } = showEvent(event);
          return (
            <li key={event.key}>
              <span class="values">{formatTime(event.time)}</span>
              <span>
                <StateWord tone={tone} words={words} /> <span class="soft">{cause}</span>
              </span>
            </li>
          );
        })}
      </ul>
      {events.length === 0 ? undefined : <a href={linkTo(['record'])}>{fill(EVENTS.all)}</a>}
    </section>
  );
}
