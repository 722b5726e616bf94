import type { JSX } from 'preact';

import type { DocumentFault } from '../../interface/failure.ts';
import { translateFault } from '../parts/gateway-words.ts';
import { translateDetail, translateTitle } from '../parts/setting-words.ts';
import type { Field } from './schema.ts';

interface SchemaFieldsProps {
  readonly fields: readonly Field[];
  readonly texts: Readonly<Record<string, string>>;
  readonly onChange: (name: string, text: string) => void;
  /** Validation errors of the gateway, each with the path of its setting. */
  readonly faults: readonly DocumentFault[];
  /** Name of a setting whose schema has no title, and of its choices; absent: their keys. */
  readonly names?: SettingNames;
}

interface SettingNames {
  readonly title: (name: string) => string | undefined;
  readonly choice: (name: string, value: string) => string;
}

/** Form fields generated from a schema; empty fields keep their default, which is shown. */
export function SchemaFields({ fields, texts, onChange, faults, names }: SchemaFieldsProps): JSX.Element {
  return (
    <>
      {fields.map((field) => {
        const fault = faults.find(({ path }) => path === field.name || path.endsWith(`.${field.name}`));
        const id = `field-${field.name}`;
        return (
          <div key={field.name} class="schema-field">
            <FieldLabel
              id={id}
              field={field}
              title={translateTitle(field.schema) ?? names?.title(field.name)}
            />
            <Control
              field={field}
              id={id}
              text={texts[field.name] ?? ''}
              isWrong={fault !== undefined}
              nameOf={(value) => names?.choice(field.name, value) ?? value}
              onChange={(text) => onChange(field.name, text)}
            />
            <p id={`${id}-words`} class={fault === undefined ? 'soft' : 'state fault'}>
              {fault === undefined ? translateDetail(field.schema) : translateFault(fault)}
            </p>
          </div>
        );
      })}
    </>
  );
}

/** Title of a setting with its name in the configuration, or the name alone. */
function FieldLabel({
  id,
  field,
  title,
}: Readonly<{ id: string; field: Field; title: string | undefined }>): JSX.Element {
  const name = <span class={title === undefined ? 'code' : 'code faint'}>{field.name}</span>;
  return (
    <label for={id}>
      {title} {name}
    </label>
  );
}

interface ControlProps {
  readonly field: Field;
  readonly id: string;
  readonly text: string;
  readonly isWrong: boolean;
  /** Returns the name of a choice. */
  readonly nameOf: (value: string) => string;
  readonly onChange: (text: string) => void;
}

function Control({ field, id, text, isWrong, nameOf, onChange }: ControlProps): JSX.Element {
  const { schema, isRequired } = field;
  const standard = schema.default === undefined ? '' : JSON.stringify(schema.default).replaceAll('"', '');
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum;
  if (choices !== undefined) {
    return (
      <select
        id={id}
        aria-describedby={`${id}-words`}
        value={text}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        <option value="">{standard === '' ? '–' : `(${nameOf(standard)})`}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {nameOf(String(choice))}
          </option>
        ))}
      </select>
    );
  }
  return (
    <input
      id={id}
      type={schema.writeOnly === true ? 'password' : 'text'}
      autocomplete="off"
      inputmode={schema.type === 'integer' ? 'numeric' : 'text'}
      placeholder={standard}
      required={isRequired}
      aria-invalid={isWrong}
      aria-describedby={`${id}-words`}
      value={text}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
