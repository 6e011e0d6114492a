export const phone = {
  title: "Phone",
};
