import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { Address } from '../../parts/address.tsx';
import { shownDriver } from '../../parts/connection-state.ts';
import { linkTo } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { ASSETS } from '../../text/assets.ts';
import { fill } from '../../text/fill.ts';
import { formatCount, formatNumber, formatSpan } from '../../text/format.ts';
import { OVERVIEW } from '../../text/overview.ts';
import type { LineLoad, LineSample } from './line-load.ts';
import type { DriverStatus, listDrivers } from '../../../interface/plant/drivers.ts';
import { useResource } from '../../parts/use-resource.ts';
import type { Resource } from '../../parts/use-resource.ts';
import type { AssetHead } from '../assets/use-assets.ts';
import { addSample, loadOf, toSample } from './line-load.ts';

/** Connections with state and load. */
export function ConnectionTable({
  connections,
}: Readonly<{ connections: readonly ShownConnection[] }>): JSX.Element {
  const { session } = useConsole();
  if (connections.length === 0) {
    return (
      <p class="soft">
        {fill(OVERVIEW.noConnections)}{' '}
        {session.may('rest.configuration') ? (
          <a href={linkTo(['devices'])}>{fill(OVERVIEW.connectDevice)}</a>
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
            <td>
              {session.may('rest.configuration') ? <a href={linkTo(['devices', 'line', pid])}>{pid}</a> : pid}
            </td>
            <td>
              <Address text={endpoint} />
            </td>
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

/** Connection with its recent load. */
interface ShownConnection {
  readonly driver: DriverStatus;
  readonly load: LineLoad;
}

const EVERY_MS = 5000;

/** Loads the connections; without permission, those of the visible assets. Sends no requests to devices. */
export function useConnections(
  assets: readonly AssetHead[] | undefined,
): Resource<readonly ShownConnection[]> {
  const { rest, session } = useConsole();
  const samples = useRef(new Map<string, readonly LineSample[]>());
  const mayAsk = session.may('rest.configuration');
  const asked = useResource(
    mayAsk ? 'drivers' : undefined,
    async (abort) => {
      const drivers = await rest.call<typeof listDrivers>('GET', '/services/drivers/v1', { abort });
      return drivers.map((driver) => withLoad(driver, samples.current));
    },
    { everyMs: EVERY_MS },
  );
  const seen = useRef<readonly AssetHead[] | undefined>(undefined);
  const shown = useRef<readonly ShownConnection[]>([]);
  if (mayAsk) return asked;
  if (assets !== undefined && seen.current !== assets) {
    seen.current = assets;
    const drivers = new Map(assets.map(({ status }) => [status.driver.pid, status.driver] as const));
    shown.current = [...drivers.values()].map((driver) => withLoad(driver, samples.current));
  }
  return { ...asked, value: assets === undefined ? undefined : shown.current };
}

function withLoad(driver: DriverStatus, samples: Map<string, readonly LineSample[]>): ShownConnection {
  const next = addSample(samples.get(driver.pid) ?? [], toSample(driver.counters, Date.now()));
  samples.set(driver.pid, next);
  return { driver, load: loadOf(next) };
}
