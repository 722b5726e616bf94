import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type {
  changeIdentity,
  deleteIdentity,
  listPermissions,
  readIdentity,
  readPasswordRequirements,
  UserConfig,
  UserConfigRequest,
} from '../../../interface/security/identities.ts';
import type { revokeTokens } from '../../../interface/security/tokens.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import { useKept } from '../../forms/use-kept.ts';
import { FailureNotice, Notice, wordsOf } from '../../parts/notice.tsx';
import { wordsOfPermission } from '../../parts/permission-words.ts';
import { goTo } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { useReturnFocus } from '../../parts/use-return-focus.ts';
import { ACCESS } from '../../text/access.ts';
import { fill } from '../../text/fill.ts';
import { SHELL } from '../../text/shell.ts';
import { GrantsEditor } from './grants-editor.tsx';
import { toRequest, toTyped, IDENTITY_ROOT } from './identity-form.ts';
import type { TypedIdentity } from './identity-form.ts';
import { PasswordFields } from './password-fields.tsx';

interface IdentityEditorProps {
  /** Undefined for a new identity. */
  readonly identity: UserConfig | undefined;
  readonly onSaved: (identity: UserConfig) => void;
}

const IDENTITIES = `${IDENTITY_ROOT}/identities` as const;
// Shown at the name.
const NAME_ERRORS: ReadonlySet<string> = new Set(['IDENTITY_EXISTS', 'IDENTITY_NAME_INVALID']);
const REVOKE = '/services/token/jwt/v1/_revoke';

/** Creates, changes and deletes an identity. */
export function IdentityEditor({ identity, onSaved }: IdentityEditorProps): JSX.Element {
  const { rest } = useConsole();
  const form = useKept<TypedIdentity>(`identity ${identity?.userName ?? ''}`, () => toTyped(identity));
  const { value: typed } = form;
  const [error, setError] = useState<unknown>(undefined);
  const [message, setMessage] = useState<string | undefined>(undefined);
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const known = useResource('access', async (abort) => ({
    permissions: await rest.call<typeof listPermissions>('GET', `${IDENTITY_ROOT}/definedPermissions`, {
      abort,
    }),
    rules: await rest.call<typeof readPasswordRequirements>('GET', `${IDENTITY_ROOT}/passwordRequirements`, {
      abort,
    }),
  }));
  const name = identity?.userName ?? typed.userName.trim();
  const isNameRefused = error instanceof RestFailure && NAME_ERRORS.has(error.code ?? '');
  const nameField = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isNameRefused) nameField.current?.focus();
  }, [error, isNameRefused]);
  const change = (part: Partial<TypedIdentity>): void => {
    if (part.userName !== undefined && isNameRefused) setError(undefined);
    setMessage(undefined);
    form.type((before) => ({ ...before, ...part }));
  };
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    setMessage(undefined);
    try {
      await step();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  const send = async (method: 'POST' | 'PUT', body: UserConfigRequest): Promise<void> => {
    await rest.call<typeof changeIdentity>(method, IDENTITIES, { body });
    const { userName } = body;
    const value = await rest.call<typeof readIdentity>('POST', `${IDENTITIES}/byName`, {
      body: { userName },
    });
    form.restart(toTyped(value));
    setMessage(fill(ACCESS.saved, { name: value.userName }));
    onSaved(value);
  };
  const remove = (): Promise<void> =>
    attempt(async () => {
      await rest.call<typeof deleteIdentity>('DELETE', IDENTITIES, { body: { userName: name } });
      form.restart(toTyped(identity));
      goTo(['access']);
    });
  const revoke = (): Promise<void> =>
    attempt(async () => {
      await rest.call<typeof revokeTokens>('POST', REVOKE, { body: { userName: name } });
      setMessage(fill(ACCESS.revoked, { name }));
    });
  const options = new Set([...(known.value?.permissions.permissions ?? []), ...typed.permissions]);

  return (
    <form
      class="identity"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(() => send(identity === undefined ? 'POST' : 'PUT', toRequest(typed, identity)));
      }}
    >
      {identity === undefined ? (
        <label class="field">
          <span>{fill(ACCESS.name)}</span>
          <input
            name="userName"
            required
            minLength={3}
            maxLength={255}
            autocomplete="off"
            ref={nameField}
            aria-invalid={isNameRefused}
            aria-describedby="name-words"
            value={typed.userName}
            onInput={({ currentTarget }) => change({ userName: currentTarget.value })}
          />
          <span id="name-words">
            {isNameRefused ? <StateWord tone="fault" words={wordsOf(error)} /> : undefined}
          </span>
        </label>
      ) : undefined}
      {known.error === undefined ? undefined : <FailureNotice error={known.error} onRetry={known.reload} />}
      <PasswordFields typed={typed} identity={identity} rules={known.value?.rules} onChange={change} />
      <fieldset>
        <legend>{fill(ACCESS.permissions)}</legend>
        <div class="permissions">
          {[...options].map((permission) => (
            <label key={permission}>
              <input
                type="checkbox"
                checked={typed.permissions.includes(permission)}
                onChange={({ currentTarget }) =>
                  change({
                    permissions: currentTarget.checked
                      ? [...typed.permissions, permission]
                      : typed.permissions.filter((each) => each !== permission),
                  })
                }
              />{' '}
              <span>
                {wordsOfPermission(permission)} <span class="code soft">{permission}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <GrantsEditor grants={typed.grants} onChange={(grants) => change({ grants })} />
      {error === undefined || isNameRefused ? undefined : <FailureNotice error={error} />}
      {message === undefined ? undefined : <Notice level="info">{message}</Notice>}
      <div class="tools">
        <button class="main" type="submit" disabled={isBusy}>
          {fill(
            identity !== undefined ? ACCESS.save : name === '' ? ACCESS.createFirst : ACCESS.createNamed,
            { name },
          )}
        </button>
        {form.isTyped ? (
          <button
            type="button"
            disabled={isBusy}
            onClick={() => {
              setError(undefined);
              form.restart(toTyped(identity));
            }}
          >
            {fill(SHELL.discardInput)}
          </button>
        ) : undefined}
        {identity?.secondFactorEnabled === true ? (
          <button
            type="button"
            disabled={isBusy}
            onClick={() => void attempt(() => send('PUT', { userName: name, secondFactorEnabled: false }))}
          >
            {fill(ACCESS.secondFactorReset)}
          </button>
        ) : undefined}
        {identity === undefined ? undefined : (
          <>
            <button type="button" disabled={isBusy} onClick={() => void revoke()}>
              {fill(ACCESS.revoke, { name })}
            </button>
            <button type="button" disabled={isBusy} onClick={() => setAsking(true)}>
              {fill(ACCESS.remove, { name })}
            </button>
          </>
        )}
      </div>
      {isAsking ? (
        <RemoveQuestion
          name={name}
          isBusy={isBusy}
          onRemove={() => void remove()}
          onClose={() => setAsking(false)}
        />
      ) : undefined}
    </form>
  );
}

/** Confirmation of a deletion. */
function RemoveQuestion({
  name,
  isBusy,
  onRemove,
  onClose,
}: Readonly<{ name: string; isBusy: boolean; onRemove: () => void; onClose: () => void }>): JSX.Element {
  const cancel = useRef<HTMLButtonElement>(null);
  useReturnFocus();
  useLayoutEffect(() => cancel.current?.focus(), []);
  return (
    <div
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose();
      }}
    >
      <Notice
        level="attention"
        actions={
          <span class="tools">
            <button class="remove" type="button" disabled={isBusy} onClick={onRemove}>
              {fill(ACCESS.removeNow, { name })}
            </button>
            <button type="button" ref={cancel} onClick={onClose}>
              {fill(SHELL.cancel)}
            </button>
          </span>
        }
      >
        {fill(ACCESS.removeSure, { name })}
      </Notice>
    </div>
  );
}
