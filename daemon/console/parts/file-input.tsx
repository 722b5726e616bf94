import type { JSX, RefObject } from 'preact';

interface FileInputProps extends Omit<JSX.IntrinsicElements['input'], 'ref'> {
  readonly field?: RefObject<HTMLInputElement>;
}

/** Field for a file that can be chosen again under its name, for example after a correction. */
export function FileInput({ field, ...props }: FileInputProps): JSX.Element {
  return (
    <input
      {...props}
      ref={field ?? null}
      type="file"
      // The browser reports no change for the name that the field has.
      onClick={({ currentTarget }) => {
        currentTarget.value = '';
      }}
    />
  );
}
