import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type {
  beginSecondFactor,
  confirmSecondFactor,
  readSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
  SecondFactorSecret,
} from '../../../interface/security/second-factor.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { QrCode } from '../../parts/qr-code.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { ACCESS } from '../../text/access.ts';
import { fill } from '../../text/fill.ts';
import { SIGN_IN } from '../../text/sign-in.ts';

const PATH = '/services/session/v1/secondFactor';

/** Second factor of the signed-in identity. */
export function OwnSecondFactor(): JSX.Element {
  const { rest } = useConsole();
  const { value, error, reload } = useResource('secondFactor', (abort) =>
    rest.call<typeof readSecondFactor>('GET', PATH, { abort }),
  );
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [secret, setSecret] = useState<SecondFactorSecret | undefined>(undefined);
  const [codes, setCodes] = useState<readonly string[] | undefined>(undefined);
  const [failure, setFailure] = useState<unknown>(undefined);

  const attempt = async <T,>(call: () => Promise<T>): Promise<T | undefined> => {
    setFailure(undefined);
    try {
      const made = await call();
      setCode('');
      return made;
    } catch (thrown) {
      setFailure(thrown);
      return undefined;
    }
  };
  const begin = async (): Promise<void> => {
    const body = { currentPassword: password };
    const made = await attempt(() => rest.call<typeof beginSecondFactor>('POST', `${PATH}/begin`, { body }));
    if (made === undefined) return;
    setPassword('');
    setSecret(made);
  };
  const showCodes = async (
    call: () => Promise<{ readonly recoveryCodes: readonly string[] }>,
  ): Promise<void> => {
    const made = await attempt(call);
    if (made === undefined) return;
    setPassword('');
    setSecret(undefined);
    setCodes(made.recoveryCodes);
  };
  const confirm = (): Promise<void> => {
    const body = { secondFactorCode: code };
    return showCodes(() => rest.call<typeof confirmSecondFactor>('POST', `${PATH}/confirm`, { body }));
  };
  const proofs = { currentPassword: password, secondFactorCode: code };
  const renew = (): Promise<void> =>
    showCodes(() =>
      rest.call<typeof renewRecoveryCodes>('POST', `${PATH}/renewRecoveryCodes`, { body: proofs }),
    );
  const remove = async (): Promise<void> => {
    await attempt(() => rest.call<typeof removeSecondFactor>('POST', `${PATH}/remove`, { body: proofs }));
    setPassword('');
    // All sessions have ended, unless the request was rejected.
    reload();
  };
  const isOn = value?.secondFactorEnabled === true;

  return (
    <section class="own-factor" aria-labelledby="own-factor">
      <h2 id="own-factor">{fill(ACCESS.ownFactor)}</h2>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {failure === undefined ? undefined : <FailureNotice error={failure} />}
      {codes === undefined ? undefined : (
        <>
          <p>{fill(ACCESS.recovery)}</p>
          <ul class="code">
            {codes.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
          <button
            type="button"
            onClick={() => {
              setCodes(undefined);
              reload();
            }}
          >
            {fill(ACCESS.recoveryKept)}
          </button>
        </>
      )}
      {value === undefined || codes !== undefined ? undefined : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (isOn) void renew();
            else if (secret === undefined) void begin();
            else void confirm();
          }}
        >
          <p class="soft">
            {isOn ? fill(ACCESS.ownOn, { count: value.recoveryCodesLeft }) : fill(ACCESS.ownOff)}
          </p>
          {secret === undefined ? undefined : (
            <>
              <QrCode text={secret.uri} label={fill(SIGN_IN.qrCode)} />
              <p>
                {fill(ACCESS.secret)} <span class="code secret">{secret.secret}</span>{' '}
                <a href={secret.uri}>{fill(ACCESS.openApp)}</a>
              </p>
            </>
          )}
          {secret === undefined ? (
            <label class="field">
              <span>{fill(ACCESS.currentPassword)}</span>
              <input
                type="password"
                required
                autocomplete="current-password"
                value={password}
                onInput={({ currentTarget }) => setPassword(currentTarget.value)}
              />
            </label>
          ) : undefined}
          {isOn || secret !== undefined ? (
            <label class="field">
              <span>{fill(ACCESS.code)}</span>
              <input
                required
                autocomplete="one-time-code"
                class="code"
                value={code}
                onInput={({ currentTarget }) => setCode(currentTarget.value)}
              />
            </label>
          ) : undefined}
          <div class="tools">
            <button type="submit">
              {fill(isOn ? ACCESS.renew : secret === undefined ? ACCESS.begin : ACCESS.confirm)}
            </button>
            {isOn ? (
              <button type="button" disabled={password === '' || code === ''} onClick={() => void remove()}>
                {fill(ACCESS.removeOwn)}
              </button>
            ) : undefined}
          </div>
        </form>
      )}
    </section>
  );
}
