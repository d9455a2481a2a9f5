/** A dialog over the page. The keyboard begins at its first input and stays inside; Escape closes it. */

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from './basic.tsx';
import { visibleText } from './texts.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const own = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = own.current;
    dialog?.showModal();
    firstControl(dialog)?.focus();
    // Closed before it is taken from the page, it gives the focus back to what opened it.
    return () => dialog?.close();
  }, []);
  return (
    // One that has left the page tells nobody: another may be open by then.
    <dialog
      ref={own}
      aria-label={visibleText(title)}
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
      // A file chooser inside tells of its own cancel here too.
      onCancel={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      <header class="tools spread panel-head">
        <h2>{visibleText(title)}</h2>
        <button type="button" class="plain" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}

/** The first input; without one, the first button below the head, which cancels wherever something is to be confirmed. */
function firstControl(dialog: HTMLDialogElement | null): HTMLElement | null | undefined {
  return (
    dialog?.querySelector<HTMLElement>(':is(input, select, textarea):enabled') ??
    dialog?.querySelector<HTMLElement>(':not(.panel-head) > button:enabled')
  );
}

interface FormButtonsProps {
  /** The text of the button that sends the form. */
  readonly label: string;
  readonly isDisabled: boolean;
  readonly onCancel: () => void;
}

/** The foot of a form in a dialog. */
export function FormButtons({ label, isDisabled, onCancel }: FormButtonsProps) {
  return (
    <div class="tools">
      <button type="submit" class="main" disabled={isDisabled}>
        {label}
      </button>
      <Button label="Cancel" onClick={onCancel} />
    </div>
  );
}

interface DangerButtonsProps {
  readonly label: string;
  readonly isDisabled?: boolean;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
}

/** The foot of a question about what cannot be undone: the keyboard begins at “Cancel”. */
export function DangerButtons({ label, isDisabled = false, onCancel, onConfirm }: DangerButtonsProps) {
  return (
    <div class="tools">
      <Button label="Cancel" onClick={onCancel} />
      <Button label={label} class="danger" disabled={isDisabled} onClick={onConfirm} />
    </div>
  );
}

interface DialogButtonProps {
  /** The text of the button. */
  readonly label: string;
  /** Left out: the same. */
  readonly title?: string;
  readonly look?: 'main' | 'danger';
  readonly isDisabled?: boolean;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button that opens a dialog. */
export function DialogButton({ label, title = label, look, isDisabled = false, children }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button label={label} class={look} disabled={isDisabled} onClick={() => setOpen(true)} />
      {isOpen && (
        <Dialog title={title} onClose={close}>
          {children(close)}
        </Dialog>
      )}
    </>
  );
}

interface ConfirmProps {
  /** The text of the button. */
  readonly label: string;
  /** The consequence, in one or two sentences. */
  readonly question: string;
  readonly onConfirm: () => void;
  readonly isDisabled?: boolean;
}

/** A button for what cannot be undone: asks before it acts. */
export function ConfirmButton({ label, question, onConfirm, isDisabled = false }: ConfirmProps) {
  return (
    <DialogButton label={label} look="danger" isDisabled={isDisabled}>
      {(close) => (
        <>
          <p>{visibleText(question)}</p>
          <DangerButtons
            label={label}
            onCancel={close}
            onConfirm={() => {
              close();
              onConfirm();
            }}
          />
        </>
      )}
    </DialogButton>
  );
}
