import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import type { DriverInfo, listDrivers } from '../../../interface/plant/drivers.ts';
import { shownDriver } from '../../parts/connection-state.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { Outline } from '../../parts/outline.tsx';
import { linkTo } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { DEVICES } from '../../text/devices.ts';
import { fill } from '../../text/fill.ts';

const EVERY_MS = 3000;

interface DriverSectionProps {
  /** Section of the page in the links. */
  readonly section: string;
  /** Selected connection; undefined: the first. */
  readonly pid: string | undefined;
  /** Driver type of the connections; absent: all. */
  readonly type?: string;
  /** Shown if there is none. */
  readonly empty: string;
  readonly children: (driver: DriverInfo) => JSX.Element;
}

/** Lists connections with their states and links, and shows the section of the selected one. */
export function DriverSection({ section, pid, type, empty, children }: DriverSectionProps): JSX.Element {
  const { rest } = useConsole();
  const { value, error, reload } = useResource(
    'drivers',
    (abort) => rest.call<typeof listDrivers>('GET', '/services/drivers/v1', { abort }),
    { everyMs: EVERY_MS },
  );
  const drivers = (value ?? []).filter((each) => type === undefined || each.type === type);
  const driver = pid === undefined ? drivers[0] : drivers.find((candidate) => candidate.pid === pid);
  return (
    <section class={section}>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {value === undefined && error === undefined ? <Outline /> : undefined}
      {value === undefined ? undefined : (
        <DriverChoice drivers={drivers} chosen={driver?.pid} section={section} empty={empty} />
      )}
      {driver === undefined ? undefined : children(driver)}
    </section>
  );
}

function DriverChoice({
  drivers,
  chosen,
  section,
  empty,
}: Pick<DriverSectionProps, 'section' | 'empty'> &
  Readonly<{ drivers: readonly DriverInfo[]; chosen: string | undefined }>): JSX.Element {
  if (drivers.length === 0) {
    return (
      <p class="soft">
        {empty} <a href={linkTo(['devices'])}>{fill(DEVICES.toConnect)}</a>
      </p>
    );
  }
  return (
    <ul class="driver-choice" aria-label={fill(DEVICES.connection)}>
      {drivers.map(({ pid, endpoint, state }) => (
        <li key={pid}>
          <a
            class="code"
            href={linkTo(['devices', section, pid])}
            aria-current={pid === chosen ? 'true' : undefined}
          >
            {pid}
          </a>{' '}
          <span class="code soft">{endpoint}</span> <StateWord {...shownDriver(state)} />
        </li>
      ))}
    </ul>
  );
}
