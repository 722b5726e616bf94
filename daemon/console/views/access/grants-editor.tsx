import type { JSX } from 'preact';

import { ACCESS } from '../../text/access.ts';
import { fill } from '../../text/fill.ts';
import { EMPTY_GRANT } from './identity-form.ts';
import type { TypedGrant } from './identity-form.ts';

interface GrantsEditorProps {
  readonly grants: readonly TypedGrant[];
  readonly onChange: (grants: readonly TypedGrant[]) => void;
}

/** Edits the grants of an identity. */
export function GrantsEditor({ grants, onChange }: GrantsEditorProps): JSX.Element {
  return (
    <fieldset>
      <legend>{fill(ACCESS.grants)}</legend>
      <p class="soft">{fill(ACCESS.grantsHint)}</p>
      {grants.map((grant, index) => (
        <GrantFields
          key={index}
          grant={grant}
          number={index + 1}
          onChange={(next) => onChange(grants.with(index, next))}
          onRemove={() => onChange(grants.toSpliced(index, 1))}
        />
      ))}
      <button type="button" onClick={() => onChange([...grants, EMPTY_GRANT])}>
        {fill(ACCESS.addGrant)}
      </button>
    </fieldset>
  );
}

interface GrantFieldsProps {
  readonly grant: TypedGrant;
  readonly number: number;
  readonly onChange: (grant: TypedGrant) => void;
  readonly onRemove: () => void;
}

function GrantFields({ grant, number, onChange, onRemove }: GrantFieldsProps): JSX.Element {
  const text = (key: 'assets' | 'channels' | 'until' | 'reason') => ({
    value: grant[key],
    onInput: ({ currentTarget }: JSX.TargetedInputEvent<HTMLInputElement>) =>
      onChange({ ...grant, [key]: currentTarget.value }),
  });
  const check = (key: 'isRead' | 'isWrite') => ({
    type: 'checkbox',
    checked: grant[key],
    // At least one of the two is required.
    required: !grant.isRead && !grant.isWrite,
    onChange: ({ currentTarget }: JSX.TargetedEvent<HTMLInputElement>) =>
      onChange({ ...grant, [key]: currentTarget.checked }),
  });
  return (
    <div class="grant" role="group" aria-label={fill(ACCESS.grant, { number })}>
      <label class="field">
        <span>{fill(ACCESS.assets)}</span>
        <input name={`assets ${number}`} class="code" required placeholder="line1-*" {...text('assets')} />
      </label>
      <label class="field">
        <span>{fill(ACCESS.channels)}</span>
        <input name={`channels ${number}`} class="code" placeholder="*" {...text('channels')} />
      </label>
      <label>
        <input {...check('isRead')} /> {fill(ACCESS.read)}
      </label>
      <label>
        <input {...check('isWrite')} /> {fill(ACCESS.write)}
      </label>
      <label class="field">
        <span>{fill(ACCESS.untilField)}</span>
        <input type="datetime-local" step="any" name={`until ${number}`} {...text('until')} />
      </label>
      <label class="field">
        <span>{fill(ACCESS.reason)}</span>
        <input name={`reason ${number}`} maxLength={255} {...text('reason')} />
      </label>
      <button
        class="plain"
        type="button"
        aria-label={fill(ACCESS.removeGrant, { number })}
        onClick={onRemove}
      >
        ×
      </button>
    </div>
  );
}
