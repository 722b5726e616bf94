import type { JSX } from 'preact';

/**
 * Placeholder for loading rows, at their final height. Invisible for the first moment, within which most
 * requests complete.
 */
export function Outline({ rows = 3 }: { readonly rows?: number }): JSX.Element {
  return (
    <div class="outline" aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        <OutlineWord key={index} />
      ))}
    </div>
  );
}

/** Placeholder for a loading word or number. */
export function OutlineWord(): JSX.Element {
  return <span class="outline-word" aria-hidden="true" />;
}
