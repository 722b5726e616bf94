import type { JSX } from 'preact';

import { fill } from '../text/fill.ts';
import { SIGN_IN } from '../text/sign-in.ts';

interface PasswordFieldProps {
  readonly name: 'current-password' | 'new-password' | 'new-password-again';
  readonly label: string;
  /** Hint below the field while it has no error. */
  readonly hint?: string;
  readonly isFirst?: boolean;
  readonly value: string;
  /** Error message. */
  readonly fault: string | undefined;
  readonly onChange: (value: string) => void;
}

/** Password field with its error below. */
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

/** New password and its repetition. */
export interface TypedPassword {
  readonly chosen: string;
  readonly repeated: string;
}

/** Fields for a new password and its repetition. */
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
