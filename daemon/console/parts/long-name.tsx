import type { JSX } from 'preact';

// After a separator, and before the capital of a word within a name.
const BREAK = /(?<=[-_./:])|(?<=[\p{Ll}\d])(?=\p{Lu})/u;

/** Name that, too long for its place, breaks between its words. */
export function LongName({ text }: { readonly text: string }): JSX.Element {
  return <Breakable parts={text.split(BREAK)} />;
}

/** Text that may break between its parts. */
export function Breakable({ parts }: { readonly parts: readonly string[] }): JSX.Element {
  return (
    <>
      {parts.map((part, index) => (
        <>
          {index === 0 ? undefined : <wbr />}
          {part}
        </>
      ))}
    </>
  );
}
