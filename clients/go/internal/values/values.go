// Package values converts between the types of the package contract and the messages of generated stubs. The tag
// `contract` of a field is the name of its field in the message.
package values

import (
	"reflect"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"
)

var timeType = reflect.TypeFor[time.Time]()

// Write sets the fields of a message to those of a value, which is a pointer to a struct. A nil pointer sets none.
func Write(value any, message proto.Message) {
	write(reflect.ValueOf(value), message.ProtoReflect())
}

// Read sets the fields of a value, which is a pointer to a struct, to those of a message.
func Read(message proto.Message, value any) {
	read(message.ProtoReflect(), reflect.ValueOf(value))
}

func write(pointer reflect.Value, message protoreflect.Message) {
	if pointer.IsNil() {
		return
	}
	value := pointer.Elem()
	for i := range value.NumField() {
		if field := value.Field(i); !field.IsZero() {
			set(message, descriptor(message, value.Type().Field(i)), field)
		}
	}
}

func read(message protoreflect.Message, pointer reflect.Value) {
	value := pointer.Elem()
	for i := range value.NumField() {
		if field := descriptor(message, value.Type().Field(i)); message.Has(field) {
			value.Field(i).Set(get(field, message.Get(field), value.Field(i).Type()))
		}
	}
}

func descriptor(message protoreflect.Message, field reflect.StructField) protoreflect.FieldDescriptor {
	return message.Descriptor().Fields().ByName(protoreflect.Name(field.Tag.Get("contract")))
}

func set(message protoreflect.Message, field protoreflect.FieldDescriptor, value reflect.Value) {
	switch {
	case field.IsList():
		list := message.Mutable(field).List()
		for i := range value.Len() {
			list.Append(toProto(field, value.Index(i), list.NewElement))
		}
	case field.IsMap():
		texts := message.Mutable(field).Map()
		for key, text := range value.Seq2() {
			texts.Set(protoreflect.ValueOf(key.String()).MapKey(), protoreflect.ValueOf(text.String()))
		}
	default:
		message.Set(field, toProto(field, value, func() protoreflect.Value { return message.NewField(field) }))
	}
}

// toProto converts one value. Empty returns an empty message for it.
func toProto(field protoreflect.FieldDescriptor, value reflect.Value, empty func() protoreflect.Value) protoreflect.Value {
	if value.Type() == timeType {
		return protoreflect.ValueOf(timestamppb.New(value.Interface().(time.Time)).ProtoReflect())
	}
	if field.Message() != nil {
		message := empty()
		write(value, message.Message())
		return message
	}
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	if field.Enum() != nil {
		return protoreflect.ValueOf(protoreflect.EnumNumber(value.Int()))
	}
	return protoreflect.ValueOf(value.Interface())
}

// get returns a field of a message as a value of a type.
func get(field protoreflect.FieldDescriptor, value protoreflect.Value, kind reflect.Type) reflect.Value {
	switch {
	case field.IsList():
		list := value.List()
		values := reflect.MakeSlice(kind, list.Len(), list.Len())
		for i := range list.Len() {
			values.Index(i).Set(fromProto(field, list.Get(i), kind.Elem()))
		}
		return values
	case field.IsMap():
		texts := reflect.MakeMap(kind)
		value.Map().Range(func(key protoreflect.MapKey, text protoreflect.Value) bool {
			texts.SetMapIndex(reflect.ValueOf(key.String()), reflect.ValueOf(text.String()))
			return true
		})
		return texts
	}
	return fromProto(field, value, kind)
}

func fromProto(field protoreflect.FieldDescriptor, value protoreflect.Value, kind reflect.Type) reflect.Value {
	if kind == timeType {
		return reflect.ValueOf(value.Message().Interface().(*timestamppb.Timestamp).AsTime())
	}
	if field.Message() != nil {
		pointer := reflect.New(kind.Elem())
		read(value.Message(), pointer)
		return pointer
	}
	if kind.Kind() == reflect.Pointer {
		pointer := reflect.New(kind.Elem())
		pointer.Elem().Set(fromProto(field, value, kind.Elem()))
		return pointer
	}
	if field.Enum() != nil {
		return reflect.ValueOf(value.Enum()).Convert(kind)
	}
	return reflect.ValueOf(value.Interface())
}
