import type { JSX } from 'preact';

import { fill } from '../text/fill.ts';
import { SIGN_IN } from '../text/sign-in.ts';

interface PasswordFieldProps {
  readonly name: 'current-password' | 'new-password' | 'new-password-again';
  readonly label: string;
  /** What stands below the field as long as nothing is wrong. */
  readonly hint?: string;
  readonly isFirst?: boolean;
  readonly value: string;
  /** What is wrong with it, in words. */
  readonly fault: string | undefined;
  readonly onChange: (value: string) => void;
}

/** A field for a password, with what is wrong with it below. */
export function PasswordField(props: PasswordFieldProps): JSX.Element {
  const { name, label, hint = '', isFirst = false, value, fault, onChange } = props;
  return (
    <div class="field">
      <label class="field">
        <span>{label}</span>
        <input
          name={name}
          type="password"
          autocomplete={name === 'current-password' ? name : 'new-password'}
          required
          autofocus={isFirst}
          aria-invalid={fault !== undefined}
          aria-describedby={`${name}-words`}
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      </label>
      <p id={`${name}-words`} class={fault === undefined ? 'faint' : 'state attention'} role="status">
        {fault ?? hint}
      </p>
    </div>
  );
}

/** A new password as it is typed, twice. */
export interface TypedPassword {
  readonly chosen: string;
  readonly repeated: string;
}

/** The two fields for a new password and its repetition. */
export function NewPasswordFields(props: {
  readonly typed: TypedPassword;
  readonly hint?: string;
  readonly isFirst?: boolean;
  readonly faults: Partial<TypedPassword>;
  readonly onChange: (typed: TypedPassword) => void;
}): JSX.Element {
  const { typed, hint = '', isFirst = false, faults, onChange } = props;
  return (
    <>
      <PasswordField
        name="new-password"
        label={fill(SIGN_IN.newPassword)}
        hint={hint}
        isFirst={isFirst}
        value={typed.chosen}
        fault={faults.chosen}
        onChange={(chosen) => onChange({ ...typed, chosen })}
      />
      <PasswordField
        name="new-password-again"
        label={fill(SIGN_IN.repeat)}
        value={typed.repeated}
        fault={faults.repeated}
        onChange={(repeated) => onChange({ ...typed, repeated })}
      />
    </>
  );
}
