import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type {
  endSession,
  endSessionsOf,
  listSessions,
  OpenSession,
} from '../../../interface/security/sessions.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { RowAction } from '../../parts/row-action.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { ACCESS } from '../../text/access.ts';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import { formatTime } from '../../text/format.ts';

const PATH = '/services/session/v1/sessions';

/** Open sessions, with a button to end each. */
export function Sessions(): JSX.Element {
  const { rest } = useConsole();
  const [failure, setFailure] = useState<unknown>(undefined);
  const { value, error, reload } = useResource(
    'sessions',
    async (abort) => (await rest.call<typeof listSessions>('GET', PATH, { abort })).sessions,
  );
  const attempt = async (end: () => Promise<unknown>): Promise<void> => {
    setFailure(undefined);
    try {
      await end();
    } catch (thrown) {
      setFailure(thrown);
    }
    reload();
  };
  const end = (id: string): Promise<void> =>
    attempt(() => rest.call<typeof endSession>('DELETE', `${PATH}/${encodeURIComponent(id)}`));
  const endAllOf = (identity: string): Promise<void> => {
    const query = new URLSearchParams({ identity }).toString();
    return attempt(() => rest.call<typeof endSessionsOf>('DELETE', `${PATH}?${query}`));
  };
  const names = [...new Set((value ?? []).map(({ identity }) => identity))].filter(
    (name) => (value ?? []).filter(({ identity }) => identity === name).length > 1,
  );
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">{fill(ACCESS.sessions)}</h2>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {failure === undefined ? undefined : <FailureNotice error={failure} />}
      {value === undefined && error === undefined ? <Outline /> : undefined}
      {value?.length === 0 ? <p class="soft">{fill(ACCESS.noSessions)}</p> : undefined}
      {value === undefined || value.length === 0 ? undefined : (
        <div class="wide-table" tabIndex={0} role="group" aria-labelledby="sessions">
          <table class="stacked">
            <thead>
              <tr>
                <th scope="col">{fill(ACCESS.name)}</th>
                <th scope="col">{fill(ACCESS.from)}</th>
                <th scope="col">{fill(ACCESS.method)}</th>
                <th scope="col">{fill(ACCESS.since)}</th>
                <th scope="col">{fill(ACCESS.lastUsed)}</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {value.map((session) => (
                <SessionRow key={session.id} session={session} onEnd={() => void end(session.id)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div class="tools">
        {names.map((name) => (
          <button key={name} type="button" onClick={() => void endAllOf(name)}>
            {fill(ACCESS.endAll, { name })}
          </button>
        ))}
      </div>
    </section>
  );
}

function SessionRow({ session, onEnd }: Readonly<{ session: OpenSession; onEnd: () => void }>): JSX.Element {
  const { identity, address, method, createdAt, lastUsedAt, isLocked, isCurrent } = session;
  return (
    <tr>
      <td>
        {identity} {isCurrent ? <span class="soft">{fill(ACCESS.thisSession)}</span> : undefined}
        {isLocked ? <span class="soft">{fill(ACCESS.locked)}</span> : undefined}
      </td>
      <td class="code">{address}</td>
      <td>{fill(method === 'password' ? ACCESS.password : ACCESS.certificate)}</td>
      <td class="values" data-title={fill(ACCESS.since)}>
        {formatTime(createdAt)}
      </td>
      <td class="values" data-title={fill(ACCESS.lastUsed)}>
        {formatTime(lastUsedAt)}
      </td>
      <td class="number">
        <span class="row-actions">
          <RowAction icon="end" label={fill(ACCESS.endNamed, { name: identity, address })} onClick={onEnd} />
        </span>
      </td>
    </tr>
  );
}
