// Returns a property of an element; a path with dots leads to a nested property.
(element, path) => path.split(".").reduce((object, name) => object?.[name], element);
