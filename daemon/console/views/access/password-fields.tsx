import type { JSX } from 'preact';

import type { PasswordRequirements, UserConfig } from '../../../interface/security/identities.ts';
import { ACCESS } from '../../text/access.ts';
import { fill } from '../../text/fill.ts';
import type { TypedIdentity } from './identity-form.ts';

interface PasswordFieldsProps {
  readonly typed: TypedIdentity;
  readonly identity: UserConfig | undefined;
  readonly rules: PasswordRequirements | undefined;
  readonly onChange: (part: Partial<TypedIdentity>) => void;
}

/** Password settings of an identity: allowed, new password, change and second factor required. */
export function PasswordFields({ typed, identity, rules, onChange }: PasswordFieldsProps): JSX.Element {
  return (
    <>
      <label>
        <input
          type="checkbox"
          name="passwordAuthEnabled"
          checked={typed.isPasswordEnabled}
          onChange={({ currentTarget }) => onChange({ isPasswordEnabled: currentTarget.checked })}
        />{' '}
        {fill(ACCESS.passwordEnabled)}
      </label>
      {typed.isPasswordEnabled ? (
        <>
          <label class="field">
            <span>{fill(ACCESS.newPassword)}</span>
            <input
              type="password"
              name="password"
              autocomplete="new-password"
              required={identity?.passwordAuthEnabled !== true}
              aria-describedby="password-rules"
              value={typed.password}
              onInput={({ currentTarget }) => onChange({ password: currentTarget.value })}
            />
          </label>
          <p class="soft" id="password-rules">
            {rules === undefined ? '' : `${describeRules(rules)}.`}
            {identity?.passwordAuthEnabled === true ? ` ${fill(ACCESS.keepPassword)}` : ''}
          </p>
          <label>
            <input
              type="checkbox"
              name="passwordChangeNeeded"
              checked={typed.isChangeNeeded}
              onChange={({ currentTarget }) => onChange({ isChangeNeeded: currentTarget.checked })}
            />{' '}
            {fill(ACCESS.passwordChange)}
          </label>
          <label>
            <input
              type="checkbox"
              name="secondFactorRequired"
              checked={typed.isFactorRequired}
              onChange={({ currentTarget }) => onChange({ isFactorRequired: currentTarget.checked })}
            />{' '}
            {fill(ACCESS.secondFactorRequired)}
          </label>
        </>
      ) : undefined}
    </>
  );
}

/** Describes the requirements of a new password. */
export function describeRules(rules: PasswordRequirements): string {
  const parts = [
    rules.passwordRequireDigits ? fill(ACCESS.ruleDigits) : '',
    rules.passwordRequireSpecialChars ? fill(ACCESS.ruleSpecial) : '',
    rules.passwordRequireBothCases ? fill(ACCESS.ruleCases) : '',
  ];
  return fill(ACCESS.requirements, { length: rules.passwordMinimumLength, rules: parts.join('') });
}
