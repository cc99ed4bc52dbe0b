// The validator with a script: a file may be dropped, what is too large is not sent, and the corrected file can be copied.

const MOST_BYTES = 512 * 1024;

for (const form of document.querySelectorAll('form[data-drop]')) {
  const text = form.querySelector('#text');
  const file = form.querySelector('#file');
  const bound = form.querySelector('[data-bound]');
  const told = bound.textContent;
  const check = () => {
    const bytes = (file.files[0]?.size ?? 0) + text.value.length;
    const isTooLarge = bytes > MOST_BYTES;
    bound.textContent = isTooLarge ? `This is ${Math.ceil(bytes / 1024)} KB. ${told}` : told;
    bound.classList.toggle('must', isTooLarge);
    for (const button of form.querySelectorAll('button')) button.disabled = isTooLarge;
  };
  form.addEventListener('input', check);
  text.addEventListener('dragover', (event) => event.preventDefault());
  text.addEventListener('drop', async (event) => {
    const [dropped] = event.dataTransfer.files;
    if (dropped === undefined) return; // a text is dropped as it always is
    event.preventDefault();
    file.files = event.dataTransfer.files;
    if (dropped.size <= MOST_BYTES) {
      text.value = await dropped.text();
      file.value = '';
    }
    check();
  });
}

for (const place of document.querySelectorAll('[data-copy]')) {
  const lines = document.getElementById(place.dataset.copy).querySelectorAll('.line code');
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'second';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(`${[...lines].map((line) => line.textContent).join('\n')}\n`);
    button.textContent = 'Copied';
  });
  // browsers give pages over plain http no clipboard
  if (navigator.clipboard) place.replaceChildren(button);
  place.hidden = !navigator.clipboard;
}
