// What a property of an element holds; the way to it may lead through others, with dots.
(element, path) => path.split(".").reduce((object, name) => object?.[name], element);
