import type { JSX } from 'preact';

import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';

interface RowActionProps {
  readonly icon: IconName;
  readonly label: string;
  /** Link that it opens; absent: a button. */
  readonly href?: string;
  /** State of a switch; absent: none. */
  readonly isPressed?: boolean;
  readonly onClick?: () => void;
}

/** Action of a row as an icon with a name; out of the tab order in grids, whose keys reach it. */
export function RowAction({ icon, label, href, isPressed, onClick }: RowActionProps): JSX.Element {
  if (href !== undefined) {
    return (
      <a class="row-action" tabIndex={-1} href={href} title={label} aria-label={label}>
        <Icon name={icon} />
      </a>
    );
  }
  return (
    <button
      class="row-action"
      type="button"
      tabIndex={-1}
      title={label}
      aria-label={label}
      aria-pressed={isPressed}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
