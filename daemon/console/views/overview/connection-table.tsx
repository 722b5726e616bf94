import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import { shownDriver } from '../../parts/connection-state.ts';
import { linkTo } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { ASSETS } from '../../text/assets.ts';
import { fill } from '../../text/fill.ts';
import { formatCount, formatNumber, formatSpan } from '../../text/format.ts';
import { OVERVIEW } from '../../text/overview.ts';
import type { LineLoad } from './line-load.ts';
import type { ShownConnection } from './use-connections.ts';

/** The connections with what they do. */
export function ConnectionTable({
  connections,
}: Readonly<{ connections: readonly ShownConnection[] }>): JSX.Element {
  const { session } = useConsole();
  if (connections.length === 0) {
    return (
      <p class="soft">
        {fill(OVERVIEW.noConnections)}{' '}
        {session.may('rest.configuration') ? (
          <a href={linkTo(['commission'])}>{fill(OVERVIEW.connectDevice)}</a>
        ) : undefined}
      </p>
    );
  }
  return (
    <table class="overview-connections">
      <thead>
        <tr>
          <th scope="col">{fill(ASSETS.connection)}</th>
          <th scope="col">{fill(OVERVIEW.endpoint)}</th>
          <th scope="col">{fill(ASSETS.state)}</th>
          <th scope="col" class="number">
            {fill(OVERVIEW.requests)}
          </th>
          <th scope="col" class="number">
            {fill(OVERVIEW.timeouts)}
          </th>
        </tr>
      </thead>
      <tbody>
        {connections.map(({ driver: { pid, endpoint, state }, load }) => (
          <tr key={pid}>
            <td>{pid}</td>
            <td class="values">{endpoint}</td>
            <td>
              <StateWord {...shownDriver(state)} />
            </td>
            <td class="number values">
              {load.requestsPerSecond === undefined ? '–' : formatNumber(load.requestsPerSecond, 1)}
            </td>
            <td class="number values">
              {formatCount(load.timeouts)} <NewTimeouts load={load} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NewTimeouts({
  load: { newTimeouts, seenMs },
}: {
  readonly load: LineLoad;
}): JSX.Element | undefined {
  if (newTimeouts === 0) return undefined;
  const count = `+${formatCount(newTimeouts)}`;
  return (
    <StateWord tone="attention" words={fill(OVERVIEW.newTimeouts, { count, span: formatSpan(seenMs) })} />
  );
}
