import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import type { listIdentities, UserConfig } from '../../../interface/security/identities.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { namePermission } from '../../parts/permission-words.ts';
import { linkTo } from '../../parts/route.ts';
import { RowAction } from '../../parts/row-action.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { ACCESS } from '../../text/access.ts';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import { IDENTITY_ROOT } from './identity-form.ts';
import type { Grant } from '../../../interface/plant/grant.ts';
import { formatTime } from '../../text/format.ts';

/** Identities with their authentication and permissions, as text. */
export function IdentityList(): JSX.Element {
  const { rest } = useConsole();
  const { value, error, reload } = useResource('identities', (abort) =>
    rest.call<typeof listIdentities>('GET', `${IDENTITY_ROOT}/identities`, { abort }),
  );
  return (
    <section aria-labelledby="identities">
      <h2 id="identities">{fill(ACCESS.identities)}</h2>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {value === undefined && error === undefined ? <Outline /> : undefined}
      {value === undefined ? undefined : (
        <div class="wide-table" tabIndex={0} role="group" aria-labelledby="identities">
          <table class="stacked">
            <thead>
              <tr>
                <th scope="col">{fill(ACCESS.name)}</th>
                <th scope="col">{fill(ACCESS.proofs)}</th>
                <th scope="col">{fill(ACCESS.rights)}</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {value.userConfig.map((identity) => (
                <tr key={identity.userName}>
                  <td>
                    <a href={linkTo(['access', 'identities', identity.userName])}>{identity.userName}</a>
                  </td>
                  <td>{describeProofs(identity)}</td>
                  <td>{describePermissions(identity, rest.gatewayNowMs())}</td>
                  <td class="number">
                    <IdentityActions name={identity.userName} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p>
        <a class="button" href={linkTo(['access', 'new'])}>
          {fill(ACCESS.create)}
        </a>
      </p>
    </section>
  );
}

function IdentityActions({ name }: { readonly name: string }): JSX.Element {
  const { session } = useConsole();
  return (
    <span class="row-actions">
      <RowAction
        icon="edit"
        label={fill(ACCESS.editNamed, { name })}
        href={linkTo(['access', 'identities', name])}
      />
      {session.may('rest.admin') ? (
        <RowAction
          icon="list"
          label={fill(ACCESS.auditOf, { name })}
          href={linkTo(['record', 'audit'], { identity: name, all: 'true' })}
        />
      ) : undefined}
    </span>
  );
}

function describeProofs(identity: UserConfig): string {
  if (!identity.passwordAuthEnabled) return fill(ACCESS.certificateOnly);
  const words = [fill(identity.passwordChangeNeeded ? ACCESS.passwordDue : ACCESS.password)];
  if (identity.secondFactorEnabled) words.push(fill(ACCESS.secondFactor));
  else if (identity.secondFactorRequired) words.push(fill(ACCESS.secondFactorDue));
  return words.join(', ');
}

function describePermissions({ permissions, grants = [] }: UserConfig, nowMs: number): string {
  if (permissions.includes('rest.admin')) return namePermission('rest.admin');
  const words = grants.map((grant) => describeGrant(grant, nowMs));
  if (permissions.length > 0) words.unshift(permissions.map(namePermission).join(', '));
  return words.length === 0 ? fill(ACCESS.nothing) : words.join('; ');
}

const MAXIMUM_TARGETS = 6;

/** Describes a grant: `writes boiler/setpoint until 18:00`. */
function describeGrant({ assets, channels, operations, until, reason }: Grant, nowMs: number): string {
  const targets = assets.flatMap((asset) => channels?.map((channel) => `${asset}/${channel}`) ?? [asset]);
  const more = targets.length > MAXIMUM_TARGETS ? ' …' : '';
  const what = targets.slice(0, MAXIMUM_TARGETS).join(', ') + more;
  const isBoth = operations.includes('READ') && operations.includes('WRITE');
  const verb = isBoth ? ACCESS.both : operations.includes('WRITE') ? ACCESS.writes : ACCESS.reads;
  const words = [fill(verb, { what })];
  if (until !== undefined) {
    const endMs = Date.parse(until);
    words.push(fill(endMs < nowMs ? ACCESS.ended : ACCESS.until, { time: formatTime(endMs, nowMs) }));
  }
  if (reason !== undefined && reason !== '') words.push(`(${reason})`);
  return words.join(' ');
}
