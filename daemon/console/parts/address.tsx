import type { JSX } from 'preact';

/** Address of a device or a server; too long for its place, it breaks before its port and after its slashes, never in a number. */
export function Address({ text }: { readonly text: string }): JSX.Element {
  const parts = text.split(/(?<=\/)(?!\/)|(?=:\d+(?:\/|$))/);
  return (
    <span class="code">
      {parts.map((part, index) => (
        <>
          {index === 0 ? undefined : <wbr />}
          {part}
        </>
      ))}
    </span>
  );
}
