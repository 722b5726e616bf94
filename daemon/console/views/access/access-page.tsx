import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import type { readIdentity } from '../../../interface/security/identities.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { goTo, linkTo, route } from '../../parts/route.ts';
import { useResource } from '../../parts/use-resource.ts';
import { ACCESS } from '../../text/access.ts';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import type { PageProps } from '../pages.ts';
import { Certificates } from './certificates.tsx';
import { IdentityEditor } from './identity-editor.tsx';
import { IdentityList } from './identity-list.tsx';
import { OwnSecondFactor } from './own-second-factor.tsx';
import { Sessions } from './sessions.tsx';
import { IDENTITY_ROOT } from './identity-form.ts';

/** Identities, sessions and certificates. */
export function AccessPage({ title }: PageProps): JSX.Element {
  const { session } = useConsole();
  const [, part, name] = route.value.parts;
  const mayChange = session.may('rest.identity');
  if (part === 'new' && mayChange) return <NewIdentity />;
  if (part === 'identities' && name !== undefined && mayChange)
    return <KnownIdentity key={name} name={name} />;
  return (
    <>
      <header>
        <h1>{title}</h1>
      </header>
      {mayChange ? <IdentityList /> : undefined}
      <Sessions />
      <OwnSecondFactor />
      {session.may('rest.events') ? <Certificates /> : undefined}
    </>
  );
}

function NewIdentity(): JSX.Element {
  return (
    <>
      <Heading title={fill(ACCESS.create)} />
      <IdentityEditor
        identity={undefined}
        onSaved={({ userName }) => goTo(['access', 'identities', userName])}
      />
    </>
  );
}

function KnownIdentity({ name }: { readonly name: string }): JSX.Element {
  const { rest } = useConsole();
  const { value, error, reload } = useResource(name, (abort) =>
    rest.call<typeof readIdentity>('POST', `${IDENTITY_ROOT}/identities/byName`, {
      body: { userName: name },
      abort,
    }),
  );
  const isUnknown = error instanceof RestFailure && error.status === 404;
  return (
    <>
      <Heading title={name} />
      {isUnknown ? <Notice level="info">{fill(ACCESS.unknown)}</Notice> : undefined}
      {error === undefined || isUnknown ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {value === undefined && error === undefined ? <Outline /> : undefined}
      {value === undefined ? undefined : <IdentityEditor key={name} identity={value} onSaved={reload} />}
    </>
  );
}

function Heading({ title }: { readonly title: string }): JSX.Element {
  return (
    <header>
      <h1>
        <a href={linkTo(['access'])} aria-label={fill(ACCESS.back)}>
          ‹
        </a>{' '}
        {title}
      </h1>
    </header>
  );
}
