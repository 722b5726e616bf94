import type { ComponentChildren, JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import type { AssetStatus } from '../../../interface/plant/asset-status.ts';
import { shownAsset } from '../../parts/connection-state.ts';
import { LongName } from '../../parts/long-name.tsx';
import { linkTo } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { ASSETS } from '../../text/assets.ts';
import { fill } from '../../text/fill.ts';

interface AssetHeadingProps {
  readonly pid: string;
  readonly status: AssetStatus | undefined;
  /** Number of good channels. */
  readonly children: ComponentChildren;
}

/** Heading of an asset: its state, and links to its channels, connection and audit events. */
export function AssetHeading({ pid, status, children }: AssetHeadingProps): JSX.Element {
  const { session } = useConsole();
  const mayConfigure = session.may('rest.configuration');
  const driver = status?.driver.pid;
  return (
    <header class="asset-head">
      <h1>
        <a href={linkTo(['assets'])} aria-label={fill(ASSETS.back)}>
          ‹
        </a>{' '}
        <LongName text={status?.displayName ?? pid} />
      </h1>
      {driver === undefined || status === undefined ? undefined : (
        <>
          {mayConfigure ? (
            <a href={linkTo(['configuration', 'drivers', driver])}>{driver}</a>
          ) : (
            <span class="soft">{driver}</span>
          )}
          <StateWord {...shownAsset(status)} />
        </>
      )}
      {children}
      <span class="grow" />
      {mayConfigure ? (
        <>
          <a href={linkTo(['devices', 'channels', pid])}>{fill(ASSETS.editChannels)}</a>
          {driver === undefined ? undefined : (
            <a href={linkTo(['devices', 'line', driver])}>{fill(ASSETS.line)}</a>
          )}
        </>
      ) : undefined}
      {session.may('rest.admin') ? (
        <a href={linkTo(['record', 'audit'], { search: pid })}>{fill(ASSETS.record)}</a>
      ) : undefined}
    </header>
  );
}
