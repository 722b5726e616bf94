import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import { pendingChange } from '../../live/pending-change.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { Outline } from '../../parts/outline.tsx';
import type { Resource } from '../../parts/use-resource.ts';
import { fill } from '../../text/fill.ts';
import { OVERVIEW } from '../../text/overview.ts';
import { SHELL } from '../../text/shell.ts';
import { useAssets } from '../assets/use-assets.ts';
import type { AssetHead } from '../assets/use-assets.ts';
import { OverviewAssets } from './asset-table.tsx';
import { AttentionList } from './attention-list.tsx';
import { ConnectionTable } from './connection-table.tsx';
import { NewestEvents } from './newest-events.tsx';
import { useNeeds } from './needs.ts';
import { PendingNotice } from './pending-change.tsx';
import { Summary } from './summary.tsx';
import { useConnections } from './use-connections.ts';

/** What needs somebody first, then assets, connections and events. No device is asked for any of it. */
export function OverviewPage(): JSX.Element {
  const { session } = useConsole();
  const { checks, items, count, tone, ...shared } = useNeeds();
  const isLimited = !session.may('rest.events');
  const asked = useAssets({ isWanted: !isLimited });
  const assets = isLimited ? shared.assets : asked;
  const connections = useConnections(assets.value);
  const pending = pendingChange.value;
  return (
    <>
      <header>
        <h1>{fill(SHELL.overview)}</h1>
      </header>
      <section>
        {checks.error === undefined ? undefined : (
          <FailureNotice error={checks.error} what={fill(OVERVIEW.failed)} onRetry={checks.reload} />
        )}
        {isLoading(checks) ? <Outline rows={1} /> : undefined}
        {checks.value === undefined ? undefined : (
          <Summary round={checks.value} needs={count} tone={tone}>
            {pending === undefined ? undefined : <PendingNotice pending={pending} />}
            <AttentionList items={items} assetsOf={(driver) => listServed(assets.value ?? [], driver)} />
          </Summary>
        )}
      </section>
      <section>
        <h2>{fill(OVERVIEW.assets)}</h2>
        {assets.error === undefined ? undefined : (
          <FailureNotice error={assets.error} onRetry={assets.reload} />
        )}
        {isLoading(assets) ? <Outline /> : undefined}
        {assets.value === undefined ? undefined : <OverviewAssets assets={assets.value} />}
      </section>
      <div class="overview-lower">
        <section>
          <h2>{fill(OVERVIEW.connections)}</h2>
          {connections.error === undefined ? undefined : (
            <FailureNotice error={connections.error} onRetry={connections.reload} />
          )}
          {isLoading(connections) ? <Outline /> : undefined}
          {connections.value === undefined ? undefined : <ConnectionTable connections={connections.value} />}
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
