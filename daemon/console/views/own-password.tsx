import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { RestFailure } from '../api/rest-failure.ts';
import type { readPasswordRequirements } from '../../interface/security/identities.ts';
import { FailureNotice, wordsOf } from '../parts/notice.tsx';
import { NewPasswordFields, PasswordField } from '../parts/password-field.tsx';
import type { TypedPassword } from '../parts/password-field.tsx';
import { useResource } from '../parts/use-resource.ts';
import { ACCESS } from '../text/access.ts';
import { fill } from '../text/fill.ts';
import { SHELL } from '../text/shell.ts';
import { SIGN_IN } from '../text/sign-in.ts';
import { describeRules } from './access/password-fields.tsx';

/** Error of one of the passwords. */
type Faults = Partial<TypedPassword> & { readonly current?: string };

/** Dialog to change one's own password, which ends all sessions of the identity. */
export function OwnPassword({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { rest, session } = useConsole();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const rules = useResource('rules', (abort) =>
    rest.call<typeof readPasswordRequirements>('GET', '/services/identity/v1/passwordRequirements', {
      abort,
    }),
  );
  const [current, setCurrent] = useState('');
  const [typed, setTyped] = useState<TypedPassword>({ chosen: '', repeated: '' });
  const [faults, setFaults] = useState<Faults>({});
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);

  const change = async (): Promise<void> => {
    const { chosen, repeated } = typed;
    setError(undefined);
    setFaults(chosen === repeated ? {} : { repeated: fill(SIGN_IN.different) });
    if (chosen !== repeated || isBusy) return;
    setBusy(true);
    try {
      await session.changeOwnPassword(current, chosen);
      onClose();
    } catch (thrown) {
      const found = placeFault(thrown);
      setFaults(found ?? {});
      if (found === undefined) setError(thrown);
    } finally {
      setBusy(false);
    }
  };

  return (
    <dialog class="own-password" aria-labelledby="own-password" ref={dialog} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void change();
        }}
      >
        <h1 id="own-password">{fill(SIGN_IN.ownPassword)}</h1>
        <p class="soft">{fill(SIGN_IN.ownPasswordEnds)}</p>
        {error === undefined ? undefined : <FailureNotice error={error} />}
        <input
          class="hidden"
          name="username"
          autocomplete="username"
          aria-label={fill(SIGN_IN.name)}
          value={session.name}
          readOnly
          tabIndex={-1}
        />
        <PasswordField
          name="current-password"
          label={fill(ACCESS.currentPassword)}
          isFirst
          value={current}
          fault={faults.current}
          onChange={setCurrent}
        />
        <NewPasswordFields
          typed={typed}
          hint={rules.value === undefined ? '' : `${describeRules(rules.value)}.`}
          faults={faults}
          onChange={setTyped}
        />
        <div class="tools">
          <button class="main" type="submit" disabled={isBusy}>
            {fill(SIGN_IN.ownPassword)}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            {fill(SHELL.cancel)}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** Finds the field of an error reported by the gateway; undefined if none. */
function placeFault(error: unknown): Faults | undefined {
  if (!(error instanceof RestFailure) || error.message === '') return undefined;
  if (error.status === 401) return { current: wordsOf(error) };
  return error.status === 400 ? { chosen: wordsOf(error) } : undefined;
}
