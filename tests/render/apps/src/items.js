// What every application shows: twenty links, each with its text.
export const items = (name) =>
  Array.from({ length: 20 }, (_, number) => ({ href: `/${name}/item/${number}`, text: `Item ${number} of ${name}` }));
