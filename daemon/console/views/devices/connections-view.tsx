import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import type { listDrivers } from '../../../interface/plant/drivers.ts';
import { Address } from '../../parts/address.tsx';
import { shownDriver } from '../../parts/connection-state.ts';
import { explainCause } from '../../parts/gateway-words.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { Outline } from '../../parts/outline.tsx';
import { linkTo } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { DEVICES } from '../../text/devices.ts';
import { fill } from '../../text/fill.ts';
import { nameOfProtocol } from '../../text/settings/protocols.ts';

const EVERY_MS = 3000;

/** Connections with their states and assets, and the way to a new one. */
export function ConnectionsView(): JSX.Element {
  const { rest } = useConsole();
  const { value, error, reload } = useResource(
    'drivers',
    (abort) => rest.call<typeof listDrivers>('GET', '/services/drivers/v1', { abort }),
    { everyMs: EVERY_MS },
  );
  return (
    <section class="connections">
      <div class="tools">
        <a class="button main" href={linkTo(['devices', 'add'])}>
          {fill(DEVICES.add)}
        </a>
      </div>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {value === undefined && error === undefined ? <Outline /> : undefined}
      {value?.length === 0 ? <p class="soft">{fill(DEVICES.noDriver)}</p> : undefined}
      {value === undefined || value.length === 0 ? undefined : (
        <div class="wide-table" tabIndex={0} role="group" aria-label={fill(DEVICES.list)}>
          <table class="stacked">
            <thead>
              <tr>
                <th scope="col">{fill(DEVICES.connection)}</th>
                <th scope="col">{fill(DEVICES.protocol)}</th>
                <th scope="col">{fill(DEVICES.endpoint)}</th>
                <th scope="col">{fill(DEVICES.state)}</th>
                <th scope="col">{fill(DEVICES.assets)}</th>
              </tr>
            </thead>
            <tbody>
              {value.map(
                ({ pid, type, endpoint, state, lastError = '', lastErrorCode, lastErrorReasons, assets }) => (
                  <tr key={pid}>
                    <td>
                      <a href={linkTo(['devices', 'line', pid])}>{pid}</a>
                    </td>
                    <td>{nameOfProtocol(type)}</td>
                    <td>
                      <Address text={endpoint} />
                    </td>
                    <td>
                      <StateWord {...shownDriver(state)} />
                      {state === 'BACKING_OFF' ? (
                        <div class="soft">{explainCause(lastErrorCode, lastError, lastErrorReasons)}</div>
                      ) : undefined}
                    </td>
                    <td>
                      <AssetLinks assets={assets} />
                    </td>
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const MAXIMUM_SHOWN = 8;

function AssetLinks({ assets }: { readonly assets: readonly string[] }): JSX.Element {
  return (
    <ul class="asset-links">
      {assets.slice(0, MAXIMUM_SHOWN).map((asset) => (
        <li key={asset}>
          <a href={linkTo(['assets', asset])}>{asset}</a>
        </li>
      ))}
      {assets.length > MAXIMUM_SHOWN ? <li class="soft">+{assets.length - MAXIMUM_SHOWN}</li> : undefined}
    </ul>
  );
}
