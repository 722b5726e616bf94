import type { JSX } from 'preact';

import type { DriverInfo } from '../../../interface/drivers.ts';
import { shownDriver } from '../../parts/connection-state.ts';
import { linkTo } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { COMMISSION } from '../../text/commission.ts';
import { fill } from '../../text/fill.ts';

interface DriverChoiceProps {
  readonly drivers: readonly DriverInfo[];
  readonly chosen: string | undefined;
  /** Section of the page that the links lead to. */
  readonly section: string;
  /** Said where there is none. */
  readonly empty: string;
}

/** Lists connections with their states, each with a link to what the page shows of it. */
export function DriverChoice({ drivers, chosen, section, empty }: DriverChoiceProps): JSX.Element {
  if (drivers.length === 0) {
    return (
      <p class="soft">
        {empty} <a href={linkTo(['commission'])}>{fill(COMMISSION.toConnect)}</a>
      </p>
    );
  }
  return (
    <ul class="driver-choice" aria-label={fill(COMMISSION.connection)}>
      {drivers.map(({ pid, endpoint, state }) => (
        <li key={pid}>
          <a
            class="values"
            href={linkTo(['commission', section, pid])}
            aria-current={pid === chosen ? 'true' : undefined}
          >
            {pid}
          </a>{' '}
          <span class="values soft">{endpoint}</span> <StateWord {...shownDriver(state)} />
        </li>
      ))}
    </ul>
  );
}
